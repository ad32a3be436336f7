// Why a layout wins, what would change that, and on how many GPUs: as the command line says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stepcast as cli } from "./support/cli.mjs";
import { says } from "./support/page.mjs";
import { suite } from "./support/suite.mjs";

const shared = suite();
const JOB = "#1;m=llama3-8b;g=dgx-h100;n=64;gb=256;tp=8;pp=2";

async function asked(question) {
  const stepcast = await shared.open(`${JOB};v.open=planning;v.planning=${question}`);
  const panel = stepcast.page.locator("#planning");
  await panel.locator(".table-frame table.data").first().waitFor();
  return { stepcast, panel };
}

test("the layout to take is the command line's, and one click takes it", async () => {
  const { stepcast, panel } = await asked("");
  const told = cli("rank", JOB, "--against", "own");
  await says(panel.locator("p").first(), new RegExp(`^Recommended layout: TP ${told.recommended.plan.tensor_parallel} `));
  await says(panel.locator("caption").first(), new RegExp(`^${told.against[0].ratio.toFixed(2)} times as fast as the current layout`));
  await panel.getByRole("button", { name: "Use this layout" }).click();
  await stepcast.holds({ tp: String(told.recommended.plan.tensor_parallel) });
  await panel.getByText("This is the current layout.").waitFor();
});

test("every question is answered, and stands in the link", async () => {
  for (const [question, rows] of [["what-if", 4], ["histogram", 5], ["front", 5], ["gpus", 5], ["largest", 2]]) {
    const { stepcast, panel } = await asked(question);
    await panel.locator("tbody tr").nth(rows - 1).waitFor();
    assert.ok(stepcast.fragment().includes(`v.planning=${question}`));
    await stepcast.page.close();
  }
});

test("the best layout on another number of GPUs is a click away", async () => {
  const { stepcast, panel } = await asked("gpus");
  await panel.getByRole("button", { name: /^Use 128, / }).click();
  await stepcast.holds({ n: "128" });
});

test("other machines lie over the job's, from a list, and a click takes one off again", async () => {
  const { stepcast, panel } = await asked("gpus");
  const machines = () => panel.locator("tbody th").allInnerTexts();
  assert.ok(!(await machines()).includes("DGX B200 SuperPOD"));
  await panel.locator("#planning-plan-with").selectOption("dgx-b200");
  await stepcast.waitFor("two machines", async () => (await machines()).includes("DGX B200 SuperPOD"));
  await stepcast.waitFor("the other in the link", () => stepcast.fragment().includes("v.plan-with=dgx-b200"));
  await panel.locator("#planning-plan-with").selectOption("dgx-a100-80g");
  await stepcast.waitFor("three machines", async () => (await machines()).includes("DGX A100 80 GB SuperPOD"));
  await panel.getByRole("button", { name: "DGX B200 SuperPOD ×" }).click();
  await stepcast.waitFor("two machines again", async () => {
    const shown = await machines();
    return shown.includes("DGX A100 80 GB SuperPOD") && !shown.includes("DGX B200 SuperPOD");
  });
  const batches = panel.locator("caption", { hasText: "Best layout and training cost" });
  await says(batches, /fixed global batch/);
  await panel.locator("#planning-plan-mode").selectOption("weak");
  await says(batches, /weak scaling/);
  await panel.getByRole("button", { name: /^Use DGX A100 80 GB SuperPOD, 128, / }).click();
  await stepcast.holds({ g: "dgx-a100-80g", n: "128" });
});

test("a front is of any two amounts, and each of its layouts is a click away", async () => {
  const { stepcast, panel } = await asked("front");
  await panel.locator("#planning-plan-x").selectOption("cost");
  await panel.locator("th", { hasText: "Training cost" }).first().waitFor();
  const expected = cli("rank", JOB, "--pareto", "cost,time").front;
  const rows = panel.locator("table.data", { hasText: "Pareto-optimal layouts by training cost" }).locator("tbody tr");
  await stepcast.waitFor("every layout", async () => (await rows.count()) === expected.length);
  const gpus = (await rows.first().locator("td").nth(2).innerText()).replaceAll(",", "");
  assert.equal(Number(gpus), expected[0].gpus);
  await rows.first().getByRole("button", { name: /^Use/ }).click();
  await stepcast.holds({ n: gpus });
});

test("what the table keeps, the answer keeps", async () => {
  const stepcast = await shared.open(`${JOB};v.open=planning;v.free=-tp;v.margin=30`);
  await says(stepcast.page.locator("#planning p").first(), /^Recommended layout: TP 8.* with 30 % memory headroom/);
});

test("a job of which no layout fits is told so", async () => {
  const stepcast = await shared.open("#1;m=llama3-405b;g=dgx-a100-40g;n=8;gb=8;tp=8;pp=1;v.open=planning");
  await says(stepcast.page.locator("#planning .error"), /No layout of this job fits/);
});

test("a measured step moves the answer, the cards and the link, and can be removed", async () => {
  const stepcast = await shared.open(JOB);
  const { page } = stepcast;
  const step = () => page.locator("#figure-step .value").innerText();
  const before = await step();
  await page.locator("#own-step").fill("fast");
  await page.locator("#own-step").press("Enter");
  await page.locator("#own-step-wrong").waitFor();
  await page.locator("#own-step").fill(`${cli("predict", JOB).step_s * 1100} ms`);
  await page.locator("#own-step").press("Enter");
  await page.getByText(/^Calibrated with 1 measured step: /).waitFor();
  await stepcast.waitFor("another step", async () => (await step()) !== before);
  await stepcast.waitFor("the link has it", async () => stepcast.fragment().includes("v.runs="));
  const shown = cli("predict", stepcast.fragment());
  assert.equal(shown.interval_own_runs, 1);
  await stepcast.waitFor("that of the command line", async () => parseFloat(await step()) === Number(shown.step_s.toPrecision(3)));
  await says(page.locator("#measured-step"), /^Measured \d/);
  await page.locator("#own-step-said").getByRole("button", { name: "Remove" }).click();
  await stepcast.waitFor("the forecast of before", async () => (await step()) === before);
});

test("a deadline is answered by the fewest GPUs that meet it", async () => {
  const stepcast = await shared.open("#1;m=llama2-7b;g=dgx-h100;n=64;gb=1024;seq=4096;tokens=2e12;days=14");
  const { page } = stepcast;
  await page.getByText(/Misses the deadline of 14 days by /).waitFor();
  const goal = page.locator("#goal-panel");
  await goal.getByText(/^\d+ GPUs finish within 14 days: /).waitFor();
  const gpus = (await goal.innerText()).match(/(\d+) GPUs finish/)[1];
  await goal.getByRole("button", { name: "Use this layout" }).click();
  await stepcast.holds({ n: gpus });
  await page.getByText(/Meets the deadline of 14 days/).waitFor();
});
