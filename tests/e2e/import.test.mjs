// Files and texts of other tools, dropped, pasted or picked anywhere on the page; launch flags; long links.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { stepcast as cli, printed } from "./support/cli.mjs";
import { eventually, rows, says } from "./support/page.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();
const ROOT = new URL("../../", import.meta.url);
const fixture = (name) => readFileSync(new URL(`tests/exchange/${name}`, ROOT), "utf8");

// Gives the page an event that carries a file, or a text.
const give = (page, type, selector, { name, text }) =>
  page.locator(selector).evaluate((element, { type, name, text }) => {
    const data = new DataTransfer();
    if (name) data.items.add(new File([text], name));
    else data.setData("text/plain", text);
    const event = type === "paste"
      ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
      : new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true });
    element.dispatchEvent(event);
    return event.defaultPrevented;
  }, { type, name, text });

// The dialog that shows what was understood is gone.
const closed = (page) => page.locator("dialog.offer").waitFor({ state: "detached" });

test("a dropped config.json is explained line by line, applied, and taken back by the browser", async () => {
  const stepcast = await shared.open(LLAMA);
  const { page } = stepcast;
  const text = fixture("hf-config/qwen2.5-7b.json");
  assert.equal(await give(page, "dragover", "body", { name: "config.json", text }), true, "it may be dropped");
  assert.equal(await give(page, "drop", "body", { name: "config.json", text }), true, "and is not opened by the browser");
  await page.locator("#import-understood").waitFor();
  const expected = cli("import", fileURLToPath(new URL("tests/exchange/hf-config/qwen2.5-7b.json", ROOT)), "--onto", LLAMA);
  const understood = await rows(page.locator("#import-understood"));
  const layers = understood.find((row) => row[0] === "Layers");
  const line = text.split("\n").findIndex((line) => line.includes("num_hidden_layers")) + 1;
  assert.deepEqual(layers, ["Layers", expected.fields.layers, String(line), "num_hidden_layers"]);
  const ignored = await rows(page.locator("#import-ignored"));
  assert.equal(ignored.length, expected.ignored.length);
  assert.ok(ignored.every((row) => row[2]), "every one with a reason");
  assert.equal((await rows(page.locator("#import-assumed"))).length, expected.assumed.length);
  assert.match(stepcast.fragment(), /m=llama3-70b/, "nothing is applied yet");
  await page.locator("#import-missing-n").fill("16");

  await page.locator("#import-apply").click();
  await stepcast.waitFor("the model is applied", () => stepcast.fragment().includes(`m=${expected.fields.m}`));
  assert.match(stepcast.fragment(), /n=16(;|$)/, "what was not in the file is what was typed");
  await closed(page);
  await page.goBack();
  await stepcast.waitFor("the job of before", () => stepcast.fragment().includes("m=llama3-70b"));
});

test("a config.json that is pasted where models are searched is imported, and one line stays the field's", async () => {
  const stepcast = await shared.open("");
  const { page } = stepcast;
  await stepcast.openPart("m");
  assert.equal(await give(page, "paste", "#picker-search", { text: "llama-2 7b" }), false);
  assert.equal(await page.locator("dialog.offer").count(), 0);
  await give(page, "paste", "#picker-search", { text: fixture("hf-config/mixtral-8x7b-v0.1.json") });
  await stepcast.waitFor("the model is applied", () => stepcast.fragment().includes("m=mixtral-8x7b"));
  await page.locator("#picker").waitFor({ state: "detached" });
  await page.getByText("Recommended layout").waitFor();
  await stepcast.openPart("m");
  await page.locator("#picker-search").fill("mistralai/Mistral-7B-v0.3");
  await page.getByRole("button", { name: /Hugging Face/ }).click();
  await page.locator("#import-derived").waitFor();
  await page.keyboard.press("Escape");
  await closed(page);
});

const HYBRID = fixture("hf-config/zamba2-12-layers.json");

test("a hybrid's config.json that is pasted is applied at once, keeps what was typed, and is taken back", async () => {
  const stepcast = await shared.open("");
  const { page } = stepcast;
  await stepcast.searched();
  await page.locator("#set-tokens").fill("3T");
  await page.locator("#set-tokens").blur();
  await give(page, "paste", "body", { text: HYBRID });
  await stepcast.waitFor("it is applied", () => /m=custom;layers=14;/.test(stepcast.fragment()));
  assert.match(stepcast.fragment(), /;tokens=3T/, "typed a moment before");
  assert.equal(await page.locator("dialog.offer").count(), 0);
  await says(stepcast.notice, /^Imported .*: layers 14, hidden size 3584.*Layers: \d+ × .*Mamba.*Not in the file, from the page: 512 GPUs, /);
  await stepcast.notice.getByRole("button", { name: "Undo" }).click();
  await stepcast.waitFor("the job of before", () => /m=llama3-70b/.test(stepcast.fragment()));
  assert.match(stepcast.fragment(), /;tokens=3T/);
});

test("a hybrid's config.json through the button that offers it: two actions", async () => {
  const stepcast = await shared.open("");
  const { page } = stepcast;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((text) => navigator.clipboard.writeText(text), HYBRID);
  await page.locator('.offered [data-import=""]').click();
  await page.locator("#import-text:focus").waitFor();
  await page.keyboard.press("Control+V");
  await stepcast.waitFor("it is applied", () => /m=custom;layers=14;/.test(stepcast.fragment()));
  await closed(page);
  await says(stepcast.notice, /^Imported /);
});

test("a pasted file that raises a question is shown, and nothing is applied", async () => {
  const stepcast = await shared.open(LLAMA);
  const { page } = stepcast;
  const odd = JSON.stringify({ ...JSON.parse(fixture("hf-config/qwen2.5-7b.json")), num_attention_heads: "many" });
  await give(page, "paste", "body", { text: odd });
  await page.locator("#import-outcome .error").first().waitFor();
  assert.match(stepcast.fragment(), /m=llama3-70b/);
});

test("a file that cannot be read cites line and field, keeps the text, and is mended in place", async () => {
  const stepcast = await shared.open(LLAMA);
  const { page } = stepcast;
  await page.locator("#import").click();
  const bad = '{\n  "model_type": "llama",\n  "hidden_size": "wide",\n  "num_hidden_layers": 32,\n  "num_attention_heads": 32,\n  "vocab_size": 32000\n}\n';
  await page.locator("#import-text").fill(bad);
  const error = page.locator("#import-outcome .error").first();
  await says(error, /^Line 3, hidden_size: /);
  await page.locator("#import-apply:disabled").waitFor();
  assert.equal(await page.locator("#import-text").inputValue(), bad);
  await page.locator("#import-text").fill(bad.replace('"wide"', "4096"));
  await page.locator("#import-understood").waitFor();
  await page.locator("#import-apply:enabled").waitFor();
  await page.locator("#import-text").fill("no such thing at all");
  await error.waitFor();
  await page.locator("#offer-close").click();
  await closed(page);
  assert.match(stepcast.fragment(), /m=llama3-70b/);
});

test("a script sets the layout, and a measured step goes to the reader's own runs", async () => {
  const stepcast = await shared.open("");
  const { page } = stepcast;
  await page.locator("#import").click();
  await page.locator("#import-file").setInputFiles(fileURLToPath(new URL("tests/exchange/other/megatron.log", ROOT)));
  await page.getByText(/^Measured: /).waitFor();
  const { measured } = cli("import", fileURLToPath(new URL("tests/exchange/other/megatron.log", ROOT)), "--assume-defaults");
  await page.locator("#import-apply").click();
  const own = page.locator("#own-runs-text");
  await own.waitFor();
  const [seconds, link] = (await own.inputValue()).split(" ");
  assert.ok(Math.abs(Number(seconds) / measured.step_seconds - 1) < 1e-3);
  assert.match(link, /^#2;m=.*;tp=2/);
  await says(page.locator("#plan"), /Your layout/);
});

test("launch flags are those of the command line, of the stack's framework first", async () => {
  const stepcast = await shared.open(`${LLAMA};stack=torchtitan`);
  const { page } = stepcast;
  const shows = (framework) => eventually(async () =>
    assert.equal(await text.inputValue(), printed("export", `${LLAMA};stack=torchtitan`, "--for", framework)));
  await page.locator("#flags").click();
  const text = page.locator("#export-offer-flags");
  await shows("torchtitan");
  await page.getByLabel("Framework").selectOption("megatron-lm");
  await shows("megatron-lm");
  assert.match(await text.inputValue(), /# Not exported/);
  await page.keyboard.press("Escape");
  await closed(page);
  await stepcast.tabled();
  await page.locator("#short-list [data-flags]").first().click();
  await text.waitFor();
  await page.keyboard.press("Escape");
  await closed(page);
  const before = stepcast.fragment();
  await page.locator("#ranking .row-flags").nth(1).click();
  await text.waitFor();
  assert.equal(stepcast.fragment(), before, "the layout is not loaded");
});

test("a long link is copied packed, opened by the page and the command line, and a damaged one is said", async () => {
  const runs = Array.from({ length: 60 }, (_, at) => `${9 + at / 100} #1;m=llama3-8b;g=dgx-h100;n=${64 + 8 * at}`).join("\n");
  const long = `${LLAMA};tp=4;v.open=own-runs;v.runs=${encodeURIComponent(runs)}`;
  const stepcast = await shared.open(long);
  const { page } = stepcast;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator("#copy-link").click();
  await page.getByText("Link copied.").waitFor();
  const packed = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(packed, /#2\.[\w-]+$/);
  assert.ok(packed.length < long.length / 3, `${packed.length} of ${long.length}`);
  const again = await page.context().newPage();
  await again.goto(packed);
  await again.waitForFunction(() => location.hash.startsWith("#2;"));
  const plain = new URL(again.url()).hash;
  assert.equal(plain.split("v.runs=")[1], long.split("v.runs=")[1]);
  await again.locator("#own-runs-text").waitFor();
  assert.deepEqual(cli("predict", packed), cli("predict", long));

  // One that is damaged, and one that holds sixteen megabytes in some twenty thousand letters.
  const bomb = deflateRawSync(Buffer.alloc(16 << 20, "x")).toString("base64url");
  for (const hash of ["#1.AAAA", `#1.${bomb}`]) {
    await again.evaluate(() => (location.hash = "#1;m=llama3-8b;g=dgx-h100;n=64"));
    await says(again.locator("#part-m"), /8B/);
    await again.locator("#figure-step").waitFor();
    await again.evaluate((hash) => (location.hash = hash), hash);
    await again.getByText(/the compressed part is not readable/).waitFor();
  }
  await again.locator("#figure-step").waitFor({ state: "detached" });
});

test("a model of a config.json has its name there, and another one from the reader", async () => {
  const stepcast = await shared.open(LLAMA);
  const { page } = stepcast;
  const config = { ...JSON.parse(fixture("hf-config/qwen2.5-7b.json")), num_hidden_layers: 30, _name_or_path: "ours/deep-7b" };
  await give(page, "drop", "body", { name: "config.json", text: JSON.stringify(config) });
  await page.locator("#import-understood").waitFor();
  await page.locator("#import-apply").click();
  const model = page.locator("#part-m .part-value");
  await stepcast.waitFor("its name", async () => (await model.innerText()) === "deep-7b");
  await stepcast.searched();
  await stepcast.openPart("m");
  await page.locator("#model-name").fill("Ours, 7B");
  await page.locator("#model-name").press("Enter");
  await stepcast.waitFor("the new name", async () => (await model.innerText()) === "Ours, 7B");
  await page.reload();
  await stepcast.waitFor("it is in the link", async () => (await model.innerText()) === "Ours, 7B");
});
