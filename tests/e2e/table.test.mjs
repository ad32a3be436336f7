// The ranked table at scale: what is searched, rows, filters of columns, sorting, comparing, files.

import assert from "node:assert/strict";
import { test } from "node:test";
import { downloaded, eventually, says } from "./support/page.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const rowCount = (stepcast) => stepcast.page.locator("#ranking table.rank").getAttribute("aria-rowcount").then(Number);

// The texts of a column, of the rows in the document.
async function column(stepcast, name) {
  // A heading that sorts after another ends in a number.
  return (await stepcast.layouts(15)).map((row) => Object.entries(row).find(([heading]) => heading.replace(/[ \d].*$/, "") === name)?.[1]);
}

test("an axis is kept at the form's value by a click, which the link remembers", async () => {
  const stepcast = await shared.open(LLAMA + ";tp=8");
  await stepcast.tabled();
  const chip = stepcast.page.locator('[data-axis="tp"]');
  await says(chip, "TP: any");
  assert.equal(await chip.getAttribute("aria-pressed"), "true");
  await chip.click();
  await says(chip, "TP: 8");
  await stepcast.waitFor("only TP 8", async () => (await column(stepcast, "TP")).every((text) => text === "8"));
  await stepcast.waitFor("it is in the link", async () => stepcast.fragment().includes("v.free=-tp"));
  await stepcast.page.reload();
  await stepcast.step.waitFor();
  await stepcast.tabled();
  await says(chip, "TP: 8");
  await chip.click();
  await stepcast.waitFor("any TP", async () => new Set(await column(stepcast, "TP")).size > 1);
  await stepcast.waitFor("the link is as before", async () => !stepcast.fragment().includes("v.free"));
  assert.equal(await stepcast.page.locator('[data-axis="ep"]').count(), 0, "the model has no experts");
});

test("what the stack cannot run, the margin and the number of rows are chosen in a fold", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.tabled();
  const layouts = async () => Number((await stepcast.search.innerText()).match(/^([\d,]+) layouts/)[1].replaceAll(",", ""));
  const before = await layouts();
  assert.ok((await rowCount(stepcast)) < 1200);
  await stepcast.unfold("columns");
  await stepcast.page.locator("#beyond").uncheck();
  await stepcast.waitFor("more layouts", async () => (await stepcast.tabled()) === "done" && (await layouts()) > before);
  const tight = () => stepcast.page.locator("#ranking tr.layout.tight").count();
  await stepcast.page.locator("#margin").fill("40");
  await stepcast.page.locator("#margin").blur();
  await stepcast.waitFor("tight rows", async () => (await tight()) > 5);
  await says(stepcast.page.locator("#ranking tr.tight").first(), /headroom, tight/);
  await stepcast.page.locator("#ranking-top").selectOption("10000");
  await stepcast.waitFor("more rows", async () => (await rowCount(stepcast)) > 1200);
  await stepcast.waitFor("all in the link", async () =>
    ["v.beyond=1", "v.margin=40", "v.top=10000"].every((pair) => stepcast.fragment().includes(pair)),
  );
});

test("rows about as fast as the first are marked, and variants stand under the first of them", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.tabled();
  const step = async (place) => Number(Object.entries(await stepcast.layout(place)).find(([name]) => name.startsWith("Step"))[1]);
  assert.match((await stepcast.layout(0))["#"], /≈/);
  assert.ok((await step(0)) * 1.02 >= (await step(1)));
  const fold = stepcast.page.locator("#ranking button.alike").first();
  const variants = Number((await fold.innerText()).match(/\+(\d+) similar/)[1]);
  const before = await rowCount(stepcast);
  await fold.click();
  await stepcast.waitFor("its variants", async () => (await rowCount(stepcast)) === before + variants);
  await eventually(async () => {
    assert.equal(await fold.getAttribute("aria-expanded"), "true");
    assert.equal(await stepcast.page.locator("#ranking tr.beneath").count(), variants);
  });
  const frame = stepcast.page.locator("#ranking .rank-frame");
  await frame.focus();
  await frame.press("ArrowLeft");
  await stepcast.waitFor("they are put away", async () => (await rowCount(stepcast)) === before);
});

test("each column has a filter, and columns are hidden and shown", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.unfold("columns");
  const before = await rowCount(stepcast);
  await stepcast.page.locator("#filter-pp").fill(">=4 || 1");
  const filtered = async () => (await column(stepcast, "PP")).every((text) => text === "1" || Number(text) >= 4);
  await stepcast.waitFor("fewer rows", async () => (await rowCount(stepcast)) < before && (await filtered()));
  await stepcast.page.locator("#filter-mem").fill("much");
  await stepcast.page.locator("#filter-mem-error").waitFor();
  await stepcast.page.locator("#filter-mem").fill("");
  await stepcast.page.locator('[data-column="mfu"]').uncheck();
  await stepcast.page.locator('[data-column="room"]').check();
  const headings = () => stepcast.page.locator("#ranking table.rank th").allInnerTexts();
  await stepcast.waitFor("other columns", async () => {
    const texts = (await headings()).join();
    return !texts.includes("MFU") && texts.includes("Free");
  });
  await stepcast.waitFor("all in the link", () => /mfu/.test(stepcast.fragment()) && /room/.test(stepcast.fragment()));
  await stepcast.page.reload();
  await stepcast.step.waitFor();
  await stepcast.tabled();
  assert.ok(!(await headings()).join().includes("MFU"));
  await stepcast.waitFor("the rows of before", filtered);
});

test("a second column sorts after the first, by Shift", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.tabled();
  const heading = (name) => stepcast.page.locator("#ranking thead button", { hasText: name }).first();
  await heading("TP").click();
  await heading("Memory").click({ modifiers: ["Shift"] });
  await stepcast.waitFor("it is in the link", async () => stepcast.fragment().includes("v.sort=tp,mem"));
  await eventually(async () => {
    const tensor = (await column(stepcast, "TP")).map(Number);
    const memory = (await column(stepcast, "Memory")).map(parseFloat);
    assert.ok(tensor.length > 10);
    for (let place = 1; place < tensor.length; place += 1) {
      const ordered = tensor[place - 1] < tensor[place] || memory[place - 1] <= memory[place];
      assert.ok(tensor[place - 1] <= tensor[place] && ordered, `row ${place}`);
    }
  });
  assert.equal(await stepcast.page.locator("#ranking th[aria-sort]").count(), 1);
});

test("layouts are added to the comparison by pointer and keyboard, from rows and cards", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.tabled();
  for (const place of [0, 2]) await stepcast.rows.nth(place).locator(".pin").click();
  await stepcast.waitFor("two", async () => (await stepcast.compared()) === 2);
  const frame = stepcast.page.locator("#ranking .rank-frame");
  await frame.focus();
  // On from the row that was pressed last.
  for (const place of [3, 4]) {
    await frame.press("ArrowDown");
    await stepcast.page.locator(`#ranking tr.layout.active[data-place="${place}"]`).waitFor();
  }
  await frame.press(" ");
  await stepcast.waitFor("three", async () => (await stepcast.compared()) === 3);
  await stepcast.page.locator("#short-list .card-current").getByRole("button", { name: /^Add to comparison/ }).click();
  await stepcast.waitFor("four", async () => (await stepcast.compared()) === 4);
  await stepcast.turn("compare");
  const table = stepcast.page.locator("#jobs-table");
  await stepcast.waitFor("four columns", async () => (await table.locator("thead th").count()) === 4);
  const cells = () => table.locator("tr", { has: stepcast.page.getByRole("rowheader", { name: "Step", exact: true }) }).locator("td").allInnerTexts();
  const steps = await eventually(async () => {
    const texts = await cells();
    assert.ok(texts.length === 4 && !texts[0].includes("(") && texts.slice(1).every((text) => /\(([+−].*%|same)\)/.test(text)), texts.join(" | "));
    return texts;
  });
  await stepcast.waitFor("all in the link", () => /v\.jobs=([^;~]+~){3}/.test(stepcast.fragment()));
  await stepcast.page.reload();
  await stepcast.waitFor("the same", async () => JSON.stringify(await cells()) === JSON.stringify(steps));
  await table.getByRole("button", { name: /^Remove/ }).first().click();
  await stepcast.waitFor("three", async () => (await stepcast.compared()) === 3);
});

test("what is shown is downloaded as CSV and as JSON", async () => {
  const stepcast = await shared.open(LLAMA + ";v.filter=pp%3D2");
  await stepcast.tabled();
  const file = (name) => downloaded(stepcast.page.getByRole("button", { name, exact: true }));
  const lines = (await file("CSV")).bytes.toString().trim().split("\n");
  const rows = JSON.parse((await file("JSON")).bytes);
  assert.equal(rows.length, lines.length - 1);
  assert.ok(rows.length > 10 && rows.every((row) => row.pp === 2 && row.fits === 1 && typeof row.sched === "string"));
});

test("of ten thousand rows only those in sight are drawn, wherever it is scrolled", async (t) => {
  const stepcast = await shared.open(LLAMA + ";v.top=10000");
  assert.equal(await stepcast.tabled(), "done");
  // Ten thousand layouts are kept; variants stand under the first of them.
  await stepcast.waitFor("all rows", async () => (await rowCount(stepcast)) > 2000);
  await stepcast.page.evaluate(() => {
    window.longTasks = [];
    const note = (list) => window.longTasks.push(...list.getEntries().map((entry) => Math.round(entry.duration)));
    new PerformanceObserver(note).observe({ type: "longtask" });
  });
  const frame = stepcast.page.locator("#ranking .rank-frame");
  await frame.focus();
  for (const key of ["End", "PageUp", "PageUp", "Home", "PageDown", "End"]) {
    await frame.press(key);
    await stepcast.page.locator("#ranking tr.layout.active").waitFor();
    assert.ok((await stepcast.rows.count()) < 80, "only the rows in sight are in the document");
  }
  await stepcast.page.locator("#ranking thead button", { hasText: "Memory" }).click();
  await says(stepcast.page.locator("#ranking th[aria-sort]"), /Memory/);
  const tasks = await stepcast.page.evaluate(() => window.longTasks);
  t.diagnostic(`tasks of more than 50 ms, sorting included: ${tasks.join(", ") || "none"} (aim less than 100)`);
});

test("the layout on the form knows its place, also when it is not among the rows", async () => {
  const stepcast = await shared.open("#1;m=gpt3-175b;g=dgx-a100-80g;n=512;seq=2048;gb=1536");
  await stepcast.tabled();
  const standing = stepcast.page.locator("#ranking .standing");
  await says(standing, /Your layout takes .* slower than the fastest layout with a fit probability of at least 50.*, not listed below/);
  await standing.getByRole("button", { name: "Use layout" }).click();
  await says(standing, /this is the fastest/);
});
