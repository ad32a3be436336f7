// Forecasts of any jobs side by side, and forecasts saved under names.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stepcast as cli } from "./support/cli.mjs";
import { downloaded, eventually, plain } from "./support/page.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const OTHER = "#1;m=llama3-8b;g=dgx-h200;n=64;gb=256;tp=1;sp=0;pp=1;zero=3;stack=torchtitan";

async function row(panel, name) {
  const cells = await panel.locator("#jobs-table tbody tr", { has: panel.page().getByRole("rowheader", { name, exact: true }) })
    .locator("td").allInnerTexts();
  return cells.map(plain);
}

test("two jobs that share nothing are compared, in one link and one embed", async () => {
  const stepcast = await shared.open(LLAMA);
  const panel = await stepcast.unfold("jobs");
  const add = (panel) => panel.getByRole("button", { name: "Add to comparison: this job" }).click();
  await add(panel);
  await panel.locator("#jobs-table").waitFor();
  await stepcast.waitFor("it is in the link", () => /v\.jobs=[^;]/.test(stepcast.fragment()));

  // The same page with another job on the form.
  const view = stepcast.fragment().split(";").filter((pair) => pair.startsWith("v.")).join(";");
  const second = await shared.open(`${OTHER};${view}`);
  await second.ranked();
  const both = await second.unfold("jobs");
  await both.locator("#jobs-table").waitFor();
  await add(both);
  await second.waitFor("two columns", async () => (await both.locator("#jobs-table thead th").count()) === 2);
  const [one, other] = [LLAMA, OTHER].map((link) => cli("predict", link));
  const steps = await row(both, "Step");
  assert.ok(steps[0].startsWith(one.step_s.toPrecision(3)), steps[0]);
  assert.match(steps[1], /\(−.*−\d+\.\d %\)/, "with its difference to the first");
  const [ratio, low, high] = (await row(both, "Ratio to the first (90 % range)"))[1].match(/[\d.]+/g).map(Number);
  assert.ok(Math.abs(ratio / (other.step_s / one.step_s) - 1) < 0.01, `${ratio}`);
  assert.ok(low < ratio && ratio < high);
  assert.deepEqual((await row(both, "GPUs")).map((text) => text.split(" ")[0]), ["512", "64"]);
  const bars = both.locator(".aligned").first().locator("svg");
  await second.waitFor("a bar of each", async () => (await bars.count()) === 2);
  const widths = await bars.evaluateAll((all) => all.map((svg) => {
    const parts = [...svg.querySelectorAll("rect")].map((rect) => rect.getBoundingClientRect().width);
    return parts.reduce((sum, width) => sum + width, 0) / svg.getBoundingClientRect().width;
  }));
  assert.ok(Math.abs(widths[0] - 1) < 0.02, "the longest fills the axis");
  assert.ok(Math.abs(widths[1] / (other.step_s / one.step_s) - 1) < 0.1, "the other its share of it");

  await second.waitFor("both in the link", () => second.fragment().includes("~"));
  const context = await shared.context({ viewport: { width: 700, height: 640 } });
  const page = await context.newPage();
  await page.goto(`${shared.url}?embed=1&view=compare${second.fragment()}`);
  await page.locator("#jobs-table thead th").nth(1).waitFor();
  assert.equal(await page.locator("#jobs-table thead th").count(), 2);
  assert.equal(await page.locator("#form").count(), 0);
});

test("a machine is added in the layout that is recommended there, and what of the software changes is named", async () => {
  const stepcast = await shared.open("#2;m=llama3-8b;g=dgx-h100;n=64;gb=256");
  await stepcast.ranked();
  await stepcast.page.locator("#summary").getByRole("button", { name: "Add to comparison: this job" }).click();
  await stepcast.turn("compare");
  for (const [number, machine] of [[2, "dgx-b200"], [3, "mi300x"]]) {
    await stepcast.page.locator("#jobs-machine").selectOption(machine);
    await stepcast.waitFor(machine, async () => (await stepcast.compared()) === number);
  }
  const panel = stepcast.page.locator("#jobs");
  await eventually(async () => assert.deepEqual(await row(panel, "Machine"), ["DGX H100 SuperPOD", "DGX B200 SuperPOD", "MI300X platform"]));
  assert.deepEqual(await row(panel, "Software"), ["NVIDIA NeMo", "NVIDIA NeMo", "Megatron-LM"]);
  const steps = await row(panel, "Step");
  const told = cli("rank", "#2;m=llama3-8b;g=dgx-b200;n=64;gb=256;seq=8192;stack=nemo");
  assert.ok(steps[1].startsWith(told.recommended.step_s.toPrecision(3)), `${steps[1]} ${told.recommended.step_s}`);
  await panel.getByRole("button", { name: /^Open: .*B200/ }).click();
  await stepcast.holds({ g: "dgx-b200" });
  assert.equal(await stepcast.compared(), 3, "the comparison stays");
});

test("a forecast is saved under a name, opened again, exported and imported, and nothing is sent", async () => {
  const stepcast = await shared.open(LLAMA);
  const panel = await stepcast.unfold("saved");
  await panel.getByLabel("Save this forecast as").fill("first try");
  await panel.getByRole("button", { name: "Save", exact: true }).click();
  await panel.getByText("Saved as \u201cfirst try\u201d.").waitFor();
  const text = (await downloaded(panel.getByRole("button", { name: "Export" }))).bytes.toString();
  assert.match(text, /^# stepcast.*\nfirst try\t#2;m=llama3-70b/);

  // Saved is what the browser keeps, not the link.
  assert.ok(!stepcast.fragment().includes("first"));
  const again = await stepcast.page.context().newPage();
  await again.goto(`${shared.url}${OTHER};v.open=saved`);
  await again.locator("#saved-list button", { hasText: "first try" }).click();
  await again.waitForFunction(() => location.hash.includes("m=llama3-70b"));

  const elsewhere = await shared.open(`${OTHER};v.open=saved`);
  await elsewhere.page.locator("#saved-file").setInputFiles({
    name: "mine.tsv", mimeType: "text/plain", buffer: Buffer.from(`${text}broken line\n`),
  });
  await elsewhere.page.getByText("mine.tsv: 1 imported.").waitFor();
  await elsewhere.page.getByText("mine.tsv, Line 3").waitFor();
  await elsewhere.page.getByRole("button", { name: "Delete first try" }).click();
  await elsewhere.waitFor("it is gone", async () => (await elsewhere.page.locator("#saved-list li").count()) === 0);
});
