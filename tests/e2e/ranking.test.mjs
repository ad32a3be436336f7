// The ranked table and the search behind it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LLAMA, suite } from "./support/suite.mjs";
import { Stepcast, eventually, says } from "./support/page.mjs";

const shared = suite();

// A context in which the worker rests after each slice of a search, so that it can be caught running.
async function slowed() {
  const context = await shared.context();
  await context.route("**/worker.js*", async (route) => {
    const response = await route.fetch();
    const rest = "const timeout = self.setTimeout; self.setTimeout = (then, ms) => timeout(then, ms + 700);\n";
    await route.fulfill({ response, body: rest + (await response.text()) });
  });
  return context;
}

test("the first ranking of Llama-3 70B on 512 H100 completes", async (t) => {
  const context = await shared.context();
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.longTasks = [];
    const note = (list) => window.longTasks.push(...list.getEntries().map((entry) => Math.round(entry.duration)));
    new PerformanceObserver(note).observe({ type: "longtask", buffered: true });
  });
  const start = Date.now();
  await page.goto(shared.url + LLAMA);
  await page.locator('#ranking .search[data-status="done"]').waitFor({ state: "attached" });
  t.diagnostic(`first ranking complete ${Date.now() - start} ms after the address was opened`);
  t.diagnostic(`tasks that blocked the page for more than 50 ms: ${await page.evaluate(() => window.longTasks.join(", ") || "none")}`);
  t.diagnostic(await page.locator("#ranking .search").innerText());
  await page.locator('.tabs [data-view="layouts"]').click();
  await page.locator("#ranking").scrollIntoViewIfNeeded();
  await page.locator("#ranking tr.layout").nth(10).waitFor();
});

test("rows are sorted by step time, a heading sorts by another column, and what is pressed in a row is 24 pixels wide and high", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.tabled();
  const sorted = stepcast.page.locator("#ranking th[aria-sort]");
  assert.equal(await sorted.count(), 1);
  const first = await stepcast.layout(0);
  const heading = stepcast.page.locator("#ranking thead button", { hasText: "Memory" });
  await heading.click();
  await stepcast.waitFor("another first row", async () => {
    return JSON.stringify(await stepcast.layout(0)) !== JSON.stringify(first);
  });
  await says(sorted, /Memory/);
  const ascending = await stepcast.layout(0);
  await heading.click();
  await stepcast.waitFor("the other direction", async () => {
    return JSON.stringify(await stepcast.layout(0)) !== JSON.stringify(ascending);
  });
  const sizes = await stepcast.rows.first().locator("input, button").evaluateAll((all) =>
    all.map((one) => [one.className, one.getBoundingClientRect().width, one.getBoundingClientRect().height]),
  );
  assert.ok(sizes.length >= 3);
  for (const [name, width, height] of sizes) assert.ok(width >= 24 && height >= 24, `${name}: ${width} x ${height}`);
});

test("a filter keeps what matches, a mistake in it is said, and it survives a reload with the sorting", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.tabled();
  const filter = stepcast.page.locator("#filter");
  const count = () => stepcast.page.locator("#ranking table").getAttribute("aria-rowcount").then(Number);
  const all = await count();
  await filter.fill("tp=");
  await stepcast.page.locator("#filter-error").waitFor();
  assert.equal(await filter.inputValue(), "tp=");
  await filter.fill("tp=4");
  await stepcast.waitFor("fewer rows", async () => (await count()) < all && (await count()) > 1);
  await stepcast.page.locator("#ranking thead button", { hasText: "Memory" }).click();
  await stepcast.waitFor("both in the link", () => /;v\.filter=tp.*;v\.sort=mem/.test(stepcast.fragment()));
  const before = await stepcast.layout(0);
  assert.equal(before.TP, "4");
  await stepcast.page.reload();
  await stepcast.step.waitFor();
  await stepcast.tabled();
  assert.equal(await filter.inputValue(), "tp=4");
  await eventually(async () => assert.deepEqual(await stepcast.layout(0), before));
});

test("layouts that do not fit are shown on demand, with what is missing", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.tabled();
  assert.equal(await stepcast.page.locator("#ranking tr.unfit").count(), 0);
  const count = () => stepcast.page.locator("#ranking table").getAttribute("aria-rowcount").then(Number);
  const before = await count();
  await stepcast.page.locator("#show-infeasible").check();
  await stepcast.waitFor("more rows", async () => (await count()) > before);
  const frame = stepcast.page.locator("#ranking .rank-frame");
  await frame.focus();
  await frame.press("End");
  await stepcast.page.locator("#ranking tr.unfit").first().waitFor();
  // The nearest to fitting first.
  await eventually(async () => {
    const lacking = (await stepcast.page.locator("#ranking .over").allInnerTexts()).map((text) => parseFloat(text));
    assert.ok(lacking.length > 5 && lacking.every((gib, place) => place === 0 || gib >= lacking[place - 1]), lacking.join());
  });
  await says(stepcast.page.locator("#ranking tr.unfit").first(), /over/);
});

test("a click on a row loads that layout, whose forecast is the row's own, and Back returns", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.tabled();
  const before = await stepcast.figures();
  const link = stepcast.fragment();
  const target = stepcast.page.locator("#ranking tr.layout:not(.current)").nth(2);
  const place = await target.getAttribute("data-place");
  const row = await stepcast.layout(Number(place));
  await target.locator("td").nth(2).click();
  await stepcast.page.locator(`#ranking tr.layout.current[data-place="${place}"]`).waitFor();
  await stepcast.waitFor("another forecast", async () => (await stepcast.figures()) !== before);
  const step = Object.entries(row).find(([heading]) => heading.startsWith("Step"))[1];
  // The headline shows three digits.
  const digits = (text) => Number(parseFloat(text.replace(",", "")).toPrecision(3));
  await stepcast.waitFor("the same step time", async () => digits(await stepcast.step.innerText()) === digits(step));
  await stepcast.waitFor("another link", () => stepcast.fragment() !== link);
  await stepcast.page.goBack();
  await stepcast.waitFor("the forecast before", async () => (await stepcast.figures()) === before);
});

test("rows can be walked and loaded from the keyboard", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.tabled();
  const frame = stepcast.page.locator("#ranking .rank-frame");
  await frame.focus();
  const active = (row) => eventually(async () => assert.match(await frame.getAttribute("aria-activedescendant"), row));
  for (const row of [/^rank-0$/, /^rank-1$/, /^rank-2$/]) {
    await frame.press("ArrowDown");
    await active(row);
  }
  await frame.press("End");
  await active(/^rank-\d{3,}$/);
  await stepcast.page.locator("#ranking tr.layout.active").waitFor();
  await frame.press("Home");
  await active(/^rank-0$/);
  await frame.press("Enter");
  await stepcast.page.locator('#ranking tr.layout.current[data-place="0"]').waitFor();
});

test("a running search is cancelled, keeps what it found, and can be started again", async (t) => {
  const stepcast = await Stepcast.open(await slowed(), shared.url, LLAMA);
  await stepcast.listed();
  await stepcast.rows.first().waitFor();
  assert.equal(await stepcast.search.getAttribute("data-status"), "running");
  const start = Date.now();
  await stepcast.search.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await stepcast.tabled(), "stopped");
  t.diagnostic(`cancelled within ${Date.now() - start} ms, the click included`);
  const [done, total] = (await stepcast.search.innerText()).match(/([\d,]+) of ([\d,]+)/).slice(1);
  assert.notEqual(done, total);
  assert.notEqual(done, "0");
  // What it found stays.
  await stepcast.rows.first().waitFor();
  await stepcast.search.getByRole("button", { name: "Rank again" }).click();
  await stepcast.waitFor("the whole ranking", async () => (await stepcast.tabled()) === "done");
});

// Waits until the first row is a layout of so many GPUs.
const layoutsOf = (stepcast, gpus) =>
  eventually(async () => {
    const row = await stepcast.layout(0);
    assert.equal(["TP", "CP", "PP", "DP"].reduce((product, name) => product * Number(row[name] ?? 1), 1), gpus);
  });

test("an edit while a search runs replaces it", async () => {
  const stepcast = await Stepcast.open(await slowed(), shared.url, LLAMA);
  await stepcast.listed();
  await stepcast.rows.first().waitFor();
  assert.equal(await stepcast.search.getAttribute("data-status"), "running");
  await stepcast.choose("m", "llama3-8b");
  await stepcast.type("n", "64");
  await layoutsOf(stepcast, 64);
  assert.equal(await stepcast.tabled(), "done");
});

test("a worker that cannot be loaded is reported, and can be tried again", async () => {
  const context = await shared.context();
  let broken = true;
  await context.route("**/worker.js*", (route) => (broken ? route.fulfill({ body: "throw new Error('broken');" }) : route.continue()));
  const stepcast = await Stepcast.open(context, shared.url, LLAMA);
  assert.equal(await stepcast.tabled(), "failed");
  broken = false;
  await stepcast.search.getByRole("button", { name: "Try again" }).click();
  await stepcast.waitFor("a ranking", async () => (await stepcast.tabled()) === "done");
});

test("layouts are ranked for a job that the layout on the form cannot run on, and one of them mends it", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.tabled();
  await stepcast.type("n", "48");
  assert.match(await stepcast.complaint("pp"), /needs .* GPUs/);
  await stepcast.page.getByText("The current layout is invalid for this job").waitFor();
  await stepcast.tabled();
  await layoutsOf(stepcast, 48);
  await stepcast.current.waitFor({ state: "detached" });
  await stepcast.rows.first().click();
  await stepcast.page.locator("#problems").waitFor({ state: "detached" });
  await stepcast.holds({ n: "48" });
  await stepcast.page.getByText("this is the fastest").waitFor();
});
