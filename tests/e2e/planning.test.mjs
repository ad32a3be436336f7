// Why a layout wins, what would change that, and on how many GPUs: as the command line says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stepcast as cli } from "./support/cli.mjs";
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
  const sentence = (await panel.locator("p").first().innerText()).replaceAll("\u00a0", " ");
  assert.match(sentence, new RegExp(`^Take TP ${told.recommended.plan.tensor_parallel} `));
  const caption = await panel.locator("caption").first().innerText();
  assert.match(caption, new RegExp(`^${told.against[0].ratio.toFixed(2)} times as fast as the layout on the form`));
  await panel.getByRole("button", { name: "Use this layout" }).click();
  const taken = String(told.recommended.plan.tensor_parallel);
  await stepcast.waitFor("the form has it", async () => (await stepcast.field("tp").inputValue()) === taken);
  await panel.getByText("It is the layout on the form.").waitFor();
});

test("every question is answered, and stands in the link", async () => {
  for (const [question, rows] of [["what-if", 4], ["front", 5], ["gpus", 5]]) {
    const { stepcast, panel } = await asked(question);
    assert.ok((await panel.locator("tbody tr").count()) >= rows, question);
    assert.ok(stepcast.fragment().includes(`v.planning=${question}`));
    await stepcast.page.close();
  }
});

test("the best layout on another number of GPUs is a click away", async () => {
  const { stepcast, panel } = await asked("gpus");
  await panel.getByRole("button", { name: /^Use 128, / }).click();
  await stepcast.waitFor("the form has it", async () => (await stepcast.field("n").inputValue()) === "128");
});

test("a job of which no layout fits is told so", async () => {
  const stepcast = await shared.open("#1;m=llama3-405b;g=dgx-a100-40g;n=8;gb=8;tp=8;pp=1;v.open=planning");
  await stepcast.page.locator("#planning .error").waitFor();
  assert.match(await stepcast.page.locator("#planning .error").innerText(), /No layout of this job fits/);
});
