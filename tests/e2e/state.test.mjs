// Choosing, editing, the address bar, sharing: what a reader does from the first visit to sending the link on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stepcast as cli } from "./support/cli.mjs";
import { Stepcast, eventually, says } from "./support/page.mjs";
import { LLAMA, LLAMA_WRITTEN, suite } from "./support/suite.mjs";

const shared = suite();

test("a stranger chooses a model and a cluster and sees a forecast", async () => {
  const stepcast = await shared.open();
  await stepcast.choose("m", "llama3-405b");
  await stepcast.choose("g", "dgx-b200");
  await stepcast.type("n", "128x8");
  await stepcast.waitFor("the link names the choice", () => {
    return stepcast.fragment().startsWith("#2;m=llama3-405b;g=dgx-b200;n=128x8");
  });
  const figures = stepcast.page.locator("#summary .figures");
  await says(figures, /Step time\s+[\d.,]+\s*(ms|s)/);
  await says(figures, /MFU\s+\d+(\.\d+)?\s*%/);
  assert.equal(await stepcast.ranked(), "done");
});

test("an edit changes the forecast and the link", async (t) => {
  const stepcast = await shared.open(LLAMA);
  const before = await stepcast.figures();
  await stepcast.type("seq", "4k");
  await stepcast.waitFor("other figures", async () => (await stepcast.figures()) !== before);
  await stepcast.waitFor("the sequence in the link", () => /;seq=4k\b/.test(stepcast.fragment()));
  // What was typed stays as typed.
  await stepcast.holds({ seq: "4k" });
  const elapsed = await stepcast.page.evaluate(() => {
    const field = document.querySelector('[name="gb"]');
    const start = performance.now();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "2048");
    field.dispatchEvent(new Event("input", { bubbles: true }));
    return new Promise((done) => {
      const look = () => (/;gb=2048\b/.test(location.hash) ? done(performance.now() - start) : setTimeout(look));
      look();
    });
  });
  t.diagnostic(`the address bar followed an edit after ${elapsed.toFixed(0)} ms (aim 300)`);
});

test("the command line forecasts the same", async () => {
  for (const link of [LLAMA, `${LLAMA};tp=4;pp=2;mb=2;rc=full`, "#1;m=gpt3-175b;g=dgx-a100-80g;n=1024;seq=2048;pp=16"]) {
    const stepcast = await shared.open(link);
    const seconds = cli("predict", link).step_s;
    const shown = (await stepcast.step.innerText()).replace(/\s+/g, " ");
    const [, digits, unit] = shown.match(/([\d.,]+) ?(ms|s)/);
    const expected = (unit === "ms" ? 1000 * seconds : seconds).toPrecision(3);
    assert.equal(Number(digits.replace(",", "")), Number(expected), `${link}: ${shown} and ${seconds} s`);
    await stepcast.page.close();
  }
});

test("the copied link opens the same state and the same results in another browser", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await stepcast.choose("rc", "full");
  await stepcast.type("mb", "2");
  await stepcast.type("gb", "1k");
  await stepcast.waitFor("the batch in the link", () => /;gb=1k\b/.test(stepcast.fragment()));
  await stepcast.page.locator("#copy-link").click();
  await stepcast.page.getByText("Link copied.").waitFor();
  const link = await stepcast.page.evaluate(() => navigator.clipboard.readText());
  assert.equal(new URL(link).hash, stepcast.fragment());

  const other = new Stepcast(await (await shared.context()).newPage());
  await other.page.goto(link);
  await other.step.waitFor();
  assert.equal(other.page.url(), link, "opening a link leaves it in the address bar");
  await eventually(async () => assert.equal(await other.figures(), await stepcast.figures()));
  for (const key of ["m", "g", "n", "rc", "mb", "gb"]) await other.holds({ [key]: await stepcast.value(key) });
  await Promise.all([stepcast.tabled(), other.tabled()]);
  await eventually(async () => assert.deepEqual(await other.layout(0), await stepcast.layout(0)));
});

test("without a clipboard the link is shown to be copied by hand", async () => {
  const context = await shared.context();
  await context.addInitScript(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.execCommand = () => false;
  });
  const stepcast = await Stepcast.open(context, shared.url, LLAMA);
  await stepcast.page.locator("#copy-link").click();
  await eventually(async () => assert.equal(await stepcast.page.locator("#by-hand").inputValue(), shared.url + LLAMA_WRITTEN));
});

test("Back and Forward step through choices, and a reload gives back what was there", async () => {
  const stepcast = await shared.open(LLAMA);
  const first = await stepcast.figures();
  await stepcast.choose("g", "dgx-a100-80g");
  await stepcast.waitFor("other figures", async () => (await stepcast.figures()) !== first);
  const second = await stepcast.figures();

  await stepcast.page.goBack();
  await stepcast.waitFor("the first figures", async () => (await stepcast.figures()) === first);
  await stepcast.holds({ g: "dgx-h100" });
  assert.equal(stepcast.fragment(), LLAMA);

  await stepcast.page.goForward();
  await stepcast.waitFor("the second figures", async () => (await stepcast.figures()) === second);
  await stepcast.holds({ g: "dgx-a100-80g" });

  await stepcast.page.reload();
  await stepcast.step.waitFor();
  await eventually(async () => assert.equal(await stepcast.figures(), second));
});

test("a link that is put into the address bar by hand is opened", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.page.evaluate(() => {
    location.hash = "#1;m=llama2-7b;g=dgx-h100;n=64";
  });
  await stepcast.holds({ m: "llama2-7b", n: "64" });
});

test("undo and redo walk through the edits", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.choose("rc", "full");
  await stepcast.type("mb", "4");
  await stepcast.page.getByRole("button", { name: "Undo" }).click();
  await stepcast.waitFor("no micro-batch of 4", async () => (await stepcast.value("mb")) !== "4");
  await stepcast.holds({ rc: "full" });
  await stepcast.page.getByRole("button", { name: "Redo" }).click();
  await stepcast.holds({ rc: "full", mb: "4" });
});

test("parts of the step sum to it in the table of the breakdown", async () => {
  const stepcast = await shared.open(LLAMA);
  const panel = await stepcast.unfold("waterfall");
  await panel.getByRole("button", { name: "View as table" }).click();
  await panel.locator("tbody tr").first().waitFor();
  const shares = await panel.locator("tbody tr:not(.total) td:last-child").allInnerTexts();
  const sum = shares.map((text) => parseFloat(text)).reduce((total, share) => total + share, 0);
  // Each share is rounded to three digits.
  assert.ok(Math.abs(sum - 100) < 0.5, `${shares.join(" + ")} = ${sum}`);
});
