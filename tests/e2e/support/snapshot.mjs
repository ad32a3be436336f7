// Pictures of the page, kept as small files and compared with a tolerance.
//
// Fonts are the system's, and figures move when the predictor learns. So a picture is kept at half its size, and compared
// at an eighth of it, where a text is a grey line and a digit is nothing: what counts is what stands where, in which colour.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pixelmatch from "pixelmatch";
import { OUTPUT } from "./browser.mjs";

const KEPT = fileURLToPath(new URL("../snapshots/", import.meta.url));

// Kept at one pixel of this many, as WebP of this quality.
const KEPT_SCALE = 2;
const QUALITY = 0.5;

// Compared at one pixel of this many, each by its mean colour.
const SCALE = 8;

// Least difference of a pixel that counts, 0 to 1 as pixelmatch has it, and share of pixels that may differ so.
const THRESHOLD = 0.12;
export const TOLERANCE = 0.06;

// Whether pictures are to be kept anew, and not compared.
export const RENEW = process.env.RENEW_SNAPSHOTS === "1";

// Runs in a page of the browser, which knows every format: a picture scaled down, as its pixels and as a file.
async function scaled([address, scale, width, height, quality]) {
  const picture = await createImageBitmap(await (await fetch(address)).blob());
  const canvas = new OffscreenCanvas(Math.round(width / scale), Math.round(height / scale));
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const text = (bytes) => {
    let letters = "";
    for (let at = 0; at < bytes.length; at += 8192) letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return btoa(letters);
  };
  const file = quality && new Uint8Array(await (await canvas.convertToBlob({ type: "image/webp", quality })).arrayBuffer());
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return { width: canvas.width, height: canvas.height, pixels: text(data), file: file && text(file) };
}

const asAddress = (type, bytes) => `data:${type};base64,${bytes.toString("base64")}`;
const ofText = (text) => Buffer.from(text, "base64");

// Time between two looks, and how many of them, milliseconds: a slow machine draws charts late.
const LOOK_MS = 100;
const LOOKS = 100;

// What is in sight of a page, once two looks in a row are the same.
async function settled(page) {
  let last = await page.screenshot({ animations: "disabled" });
  for (let look = 0; look < LOOKS; look += 1) {
    await page.waitForTimeout(LOOK_MS);
    const next = await page.screenshot({ animations: "disabled" });
    if (next.equals(last)) return next;
    last = next;
  }
  throw new Error("the page does not come to rest");
}

// Compares what is in sight of a page with the picture of that name, or keeps it. Returns the share of pixels that differ.
export async function compare(tool, page, name) {
  const { width, height } = page.viewportSize();
  const shot = await settled(page);
  const path = join(KEPT, `${name}.webp`);
  const now = asAddress("image/png", shot);
  if (RENEW) {
    const { file } = await tool.evaluate(scaled, [now, KEPT_SCALE, width, height, QUALITY]);
    writeFileSync(path, ofText(file));
    return 0;
  }
  if (!existsSync(path)) throw new Error(`no picture ${name}: RENEW_SNAPSHOTS=1 keeps one`);
  const [kept, seen] = await Promise.all(
    [asAddress("image/webp", readFileSync(path)), now].map((address) => tool.evaluate(scaled, [address, SCALE, width, height, 0])),
  );
  const [one, other] = [kept, seen].map(({ pixels }) => new Uint8Array(ofText(pixels)));
  const differing = pixelmatch(one, other, null, seen.width, seen.height, { threshold: THRESHOLD, includeAA: true });
  const share = differing / (seen.width * seen.height);
  if (share > TOLERANCE) writeFileSync(join(OUTPUT, `${name}.png`), shot);
  return share;
}
