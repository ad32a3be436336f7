// The ranked table and the search behind it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

// A space large enough that a search can be caught running: the greatest published model on many GPUs.
const LARGE = "#1;m=llama3-405b;g=dgx-h100;n=16384;tp=8;pp=16;gb=32768";

test("the first ranking of Llama-3 70B on 512 H100 completes", async (t) => {
  const context = await shared.context();
  const page = await context.newPage();
  const start = Date.now();
  await page.goto(shared.url + LLAMA);
  await page.locator('#ranking .search[data-status="done"]').waitFor();
  t.diagnostic(`first ranking complete ${Date.now() - start} ms after the address was opened`);
  t.diagnostic(await page.locator("#ranking .search").innerText());
  assert.ok((await page.locator("#ranking tr.layout").count()) > 10);
});

test("rows are sorted by step time, and a heading sorts by another column", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  const sorted = stepcast.page.locator("#ranking th[aria-sort]");
  assert.equal(await sorted.count(), 1);
  const first = await stepcast.layout(0);
  const heading = stepcast.page.locator("#ranking thead button", { hasText: "Memory" });
  await heading.click();
  await stepcast.waitFor("another first row", async () => {
    return JSON.stringify(await stepcast.layout(0)) !== JSON.stringify(first);
  });
  assert.equal(await sorted.count(), 1);
  assert.match(await sorted.innerText(), /Memory/);
  const ascending = await stepcast.layout(0);
  await heading.click();
  await stepcast.waitFor("the other direction", async () => {
    return JSON.stringify(await stepcast.layout(0)) !== JSON.stringify(ascending);
  });
});

test("sort and filter survive a reload", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  await stepcast.page.locator("#filter").fill("tp=4");
  await stepcast.page.locator("#ranking thead button", { hasText: "Memory" }).click();
  await stepcast.page.waitForTimeout(400);
  const before = await stepcast.layout(0);
  await stepcast.page.reload();
  await stepcast.step.waitFor();
  await stepcast.ranked();
  assert.equal(await stepcast.page.locator("#filter").inputValue(), "tp=4");
  assert.deepEqual(await stepcast.layout(0), before);
});

test("a filter keeps what matches, and a filter with a mistake says so", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  const count = () => stepcast.page.locator("#ranking table").getAttribute("aria-rowcount").then(Number);
  const all = await count();
  await stepcast.page.locator("#filter").fill("tp=8");
  await stepcast.waitFor("fewer rows", async () => (await count()) < all);
  assert.ok((await count()) > 1);
  await stepcast.page.locator("#filter").fill("tp=");
  await stepcast.page.locator("#filter-error").waitFor();
  assert.equal(await stepcast.page.locator("#filter").inputValue(), "tp=");
});

test("layouts that do not fit are shown on demand, with what is missing", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  assert.equal(await stepcast.page.locator("#ranking tr.unfit").count(), 0);
  const count = () => stepcast.page.locator("#ranking table").getAttribute("aria-rowcount").then(Number);
  const before = await count();
  await stepcast.page.locator("#show-infeasible").check();
  await stepcast.waitFor("more rows", async () => (await count()) > before);
  const memory = stepcast.page.locator("#ranking thead button", { hasText: "Memory" });
  await memory.click();
  await memory.click();
  await stepcast.page.locator("#ranking tr.unfit").first().waitFor();
  assert.match(await stepcast.page.locator("#ranking tr.unfit").first().innerText(), /too much/);
});

test("a click on a row loads that layout, and Back returns", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  const before = await stepcast.figures();
  const link = stepcast.fragment();
  const target = stepcast.page.locator("#ranking tr.layout:not(.current)").nth(2);
  const place = await target.getAttribute("data-place");
  await target.locator("td").nth(2).click();
  await stepcast.waitFor("the row is current", async () => {
    return (await stepcast.current.getAttribute("data-place").catch(() => null)) === place;
  });
  await stepcast.waitFor("another forecast", async () => (await stepcast.figures()) !== before);
  assert.notEqual(stepcast.fragment(), link);
  await stepcast.page.goBack();
  await stepcast.waitFor("the forecast before", async () => (await stepcast.figures()) === before);
});

test("the forecast of a loaded row is the row's own", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  const row = await stepcast.layout(0);
  await stepcast.rows.first().locator("td").nth(2).click();
  await stepcast.current.waitFor();
  const step = Object.entries(row).find(([heading]) => heading.startsWith("Step"))[1];
  const digits = (text) => text.replace(/[^\d.]/g, "");
  await stepcast.waitFor("the same step time", async () => digits(await stepcast.step.innerText()) === digits(step));
});

test("rows can be walked and loaded from the keyboard", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  const frame = stepcast.page.locator("#ranking .rank-frame");
  await frame.focus();
  await frame.press("ArrowDown");
  await frame.press("ArrowDown");
  await frame.press("ArrowDown");
  assert.equal(await frame.getAttribute("aria-activedescendant"), "rank-2");
  await frame.press("End");
  await stepcast.page.locator("#ranking tr.layout.active").waitFor();
  await frame.press("Home");
  await frame.press("Enter");
  await stepcast.waitFor("the first row is current", async () => {
    return (await stepcast.current.getAttribute("data-place").catch(() => null)) === "0";
  });
});

test("a running search is cancelled, keeps what it found, and can be started again", async (t) => {
  const context = await shared.context();
  const page = await context.newPage();
  // A slow machine, so that there is time to cancel.
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto(shared.url + LARGE);
  const cancel = page.locator('#ranking .search[data-status="running"] button');
  await cancel.waitFor();
  const start = Date.now();
  await cancel.click();
  const stopped = page.locator('#ranking .search[data-status="stopped"]');
  await stopped.waitFor();
  t.diagnostic(`cancelled within ${Date.now() - start} ms, the click included`);
  const [done, total] = (await stopped.innerText()).match(/[\d,]+ of [\d,]+/)[0].split(" of ");
  assert.notEqual(done, total);
  await stopped.locator("button").click();
  await page.locator('#ranking .search[data-status="done"]').waitFor();
});

test("an edit while a search runs replaces it", async () => {
  const stepcast = await shared.open(LARGE);
  await stepcast.choose("m", "llama3-8b");
  await stepcast.type("n", "64");
  assert.equal(await stepcast.ranked(), "done");
  await stepcast.waitFor("the layouts of 64 GPUs", async () => {
    const row = await stepcast.layout(0);
    const degrees = ["TP", "CP", "PP", "DP"].map((name) => Number(row[name] ?? 1));
    return degrees.reduce((product, degree) => product * degree, 1) === 64;
  });
});
