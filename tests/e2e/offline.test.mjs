// The page without a network, and when it is published anew.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { PATIENCE_MS, assertClean, launch, newContext } from "./support/browser.mjs";
import { Stepcast } from "./support/page.mjs";
import { DIST, serve } from "./support/server.mjs";
import { LLAMA } from "./support/suite.mjs";

const HASHED = /-([0-9a-f]{10,16})(?=(?:_bg)?\.[a-z]+$)/;
const SECOND = "The second build.";

let browser, second;
before(async () => {
  browser = await launch();
  second = published();
});
after(async () => {
  await browser.close();
  rmSync(second, { recursive: true });
});

// The page published anew: every file that is named by its content has another name, and the document another text.
function published() {
  const folder = mkdtempSync(join(tmpdir(), "stepcast-"));
  cpSync(DIST, folder, { recursive: true });
  const names = readdirSync(folder).filter((name) => HASHED.test(name));
  const hashes = [...new Set(names.map((name) => name.match(HASHED)[1]))];
  const other = (text) => hashes.reduce((changed, hash) => changed.replaceAll(hash, [...hash].reverse().join("")), text);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!statSync(path).isFile()) continue;
    if (/\.(html|js)$/.test(name)) writeFileSync(path, other(readFileSync(path, "utf8")));
    if (other(name) !== name) renameSync(path, join(folder, other(name)));
  }
  const index = join(folder, "index.html");
  writeFileSync(index, readFileSync(index, "utf8").replace(/Step time, breakdown, memory and every parallel layout ranked, for[^"]*/, SECOND));
  const worker = join(folder, "sw.js");
  writeFileSync(worker, readFileSync(worker, "utf8").replace(/HASH ?= ?"/, '$&2'));
  return folder;
}

// Serves a folder that can be changed, to a context in which the page may be kept.
async function visit(options, work) {
  let folder = DIST;
  const server = await serve({ ...options, root: () => folder });
  const { context, problems } = await newContext(browser, server.origin, { serviceWorkers: "allow" });
  try {
    await work({ server, context, problems, redeploy: () => (folder = second) });
  } finally {
    await context.close();
    await server.close();
  }
}

// The address below which the page is kept, once it is.
const kept = (page) =>
  page.evaluate(
    (patience) =>
      Promise.race([
        navigator.serviceWorker.ready.then(({ scope }) => scope),
        new Promise((_, give) => setTimeout(give, patience, new Error("the page is not kept"))),
      ]),
    PATIENCE_MS,
  );
const description = (page) => page.locator('meta[name="description"]').getAttribute("content");

test("after one visit the page works without a network, panels and ranking included", () =>
  visit({}, async ({ server, context, problems }) => {
    const stepcast = await Stepcast.open(context, server.url, LLAMA);
    assert.equal(await kept(stepcast.page), server.url, "kept for this sub-path alone");
    const figures = await stepcast.figures();
    assertClean(problems);
    await server.close();
    await stepcast.page.reload();
    await stepcast.step.waitFor();
    assert.equal(await stepcast.figures(), figures);
    assert.equal(await stepcast.ranked(), "done");
    await stepcast.unfold("operators");
    const another = await Stepcast.open(context, server.url, "#1;m=llama3-8b;g=dgx-h100;n=64", "?theme=dark");
    assert.equal(await another.ranked(), "done");
  }));

test("published anew under an open page, that page goes on, and the next visit is of the new build alone", () =>
  visit({}, async ({ server, context, problems, redeploy }) => {
    const stepcast = await Stepcast.open(context, server.url, LLAMA);
    await kept(stepcast.page);
    redeploy();
    await stepcast.unfold("operators");
    assert.notEqual(await description(stepcast.page), SECOND);

    const asked = [];
    stepcast.page.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").pop()));
    await stepcast.page.reload();
    await stepcast.step.waitFor();
    assert.equal(await description(stepcast.page), SECOND);
    assert.equal(await stepcast.ranked(), "done");
    // The browser asks for the icon of the page that it leaves, too.
  const old = asked.filter((name) => HASHED.test(name) && !name.startsWith("icon-") && !readdirSync(second).includes(name));
    assert.deepEqual(old, [], "no file of the first build");
    assertClean(problems);
  }));

test("an old document in the browser's cache recovers by itself when its files are gone", () =>
  visit(
    { caching: (path) => (path.endsWith("/") ? "max-age=3600" : "no-store") },
    async ({ server, context, redeploy }) => {
      // What is kept for offline use would hide it.
      await context.route("**/sw.js", (route) => route.abort());
      const first = await Stepcast.open(context, server.url, LLAMA);
      await first.page.close();
      redeploy();
      const page = await context.newPage();
      await page.goto(server.url + LLAMA);
      const stepcast = new Stepcast(page);
      await stepcast.step.waitFor();
      assert.equal(await description(page), SECOND);
      assert.equal(await stepcast.ranked(), "done");
      assert.match(page.url(), /m=llama3-70b/, "the scenario is still in the address");
    },
  ));

test("the manifest makes it an application of its own", async () => {
  const manifest = JSON.parse(readFileSync(join(DIST, "manifest.webmanifest"), "utf8"));
  assert.equal(manifest.start_url, "./");
  assert.equal(manifest.scope, "./");
  for (const { src, sizes, type } of manifest.icons) {
    const icon = readFileSync(join(DIST, src));
    if (type === "image/png") assert.equal(`${icon.readUInt32BE(16)}x${icon.readUInt32BE(20)}`, sizes);
  }
});
