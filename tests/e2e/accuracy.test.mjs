// How sure a forecast is, and how good forecasts of measured runs are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stepcast as cli } from "./support/cli.mjs";
import { Stepcast, downloaded, eventually, plain, rows, says } from "./support/page.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const isRuns = (url) => /\/runs-[0-9a-f]{10,16}\.tsv/.test(url);

async function opened() {
  const stepcast = await shared.open(LLAMA);
  const panel = await stepcast.unfold("accuracy");
  await panel.locator("#accuracy-runs").waitFor();
  return { stepcast, panel };
}

test("the answer leads to the evidence it rests on, in the command line's words", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.searched();
  await stepcast.page.locator("#how-sure").click();
  await says(stepcast.page.locator("#sureness"), plain(cli("predict", LLAMA).sureness.sentence));
  await stepcast.page.goBack();
  await stepcast.page.locator("#breakdown").waitFor();
});

const runs = (panel) => rows(panel.locator("#accuracy-runs"));

const number = (text) => Number(text.replace("\u2212", "-").replace(/[%,+\s]/g, ""));

test("the interval stands under the step, in the ranking and in what is handed on", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.tabled();
  const { low_s, high_s } = cli("predict", LLAMA);
  const aside = plain(await stepcast.page.locator("#figure-step .aside").innerText());
  const [, low, high] = aside.match(/^90 %: ([\d.]+) to ([\d.]+) s$/);
  assert.ok(Math.abs(low / low_s - 1) < 0.006 && Math.abs(high / high_s - 1) < 0.006, aside);
  const titles = await stepcast.rows.locator("[title^='90']").evaluateAll((cells) => cells.map((cell) => cell.title));
  assert.equal(titles.length, await stepcast.rows.count());
  const csv = await downloaded(stepcast.page.locator("#ranking").getByRole("button", { name: "CSV", exact: true }));
  const [head, first] = csv.bytes.toString().split("\n").map((line) => line.split(","));
  const value = (name) => Number(first[head.indexOf(name)]);
  assert.ok(value("low_s") < value("step_s") && value("step_s") < value("high_s"), first.join());
  const exported = await stepcast.unfold("export");
  const markdown = exported.locator("#export-markdown");
  await markdown.waitFor();
  assert.match(await markdown.inputValue(), /\| 90 % range of the step time \| .* to .* \|/);
});

test("a forecast that no run stands behind says why it is unsure", async () => {
  const stepcast = await shared.open(LLAMA);
  const doubts = stepcast.page.getByText("Wider because");
  assert.equal(await doubts.count(), 0);
  await stepcast.choose("g", "mi300x");
  await says(doubts, /few runs on this generation of GPUs/);
});

test("measured runs are fetched when they are looked at, forecast there, and fit, wide and narrow", async (t) => {
  const context = await shared.context();
  const fetched = [];
  context.on("request", (request) => isRuns(request.url()) && fetched.push(request.url()));
  const stepcast = await Stepcast.open(context, shared.url, LLAMA);
  await stepcast.unfold("stages");
  assert.deepEqual(fetched, []);
  const start = Date.now();
  const panel = await stepcast.unfold("accuracy");
  await panel.locator("#accuracy-runs").waitFor();
  t.diagnostic(`the measured runs are there after ${Date.now() - start} ms`);
  assert.equal(fetched.length, 1);
  assert.match(plain(await panel.innerText()), /2,351 measured steps to which constants were fitted, from 12 public sources/);
  const groups = await panel.locator("#accuracy-groups tbody tr").allInnerTexts();
  assert.equal(groups.length, 13);
  const all = plain(groups.at(-1)).split(" ");
  assert.equal(all[0], "all");
  assert.ok(number(all[2]) < 6, `median error ${all[2]}`);
  for (const width of [1440, 390]) {
    await stepcast.page.setViewportSize({ width, height: 844 });
    await stepcast.waitFor(`it fits at ${width} px`, () => stepcast.page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth));
  }
});

test("runs are sorted, filtered and turned over, and the link keeps it", async () => {
  const { stepcast, panel } = await opened();
  const errors = (await runs(panel)).map((row) => Math.abs(number(row[7])));
  assert.equal(errors.length, 50);
  assert.deepEqual(errors, [...errors].sort((one, other) => other - one), "the worst first");
  await panel.getByRole("button", { name: "Next" }).click();
  await panel.getByText("Runs 51 to 100").waitFor();
  await panel.getByRole("button", { name: "Measured" }).click();
  await panel.getByText("Runs 1 to 50").waitFor();
  await panel.getByLabel("Group by").selectOption("gpu");
  await panel.getByLabel("Show").selectOption("gb200");
  await panel.getByLabel("Find").fill("llama3 bridge");
  const shown = await eventually(async () => {
    const found = await runs(panel);
    assert.ok(found.length > 3 && found.every((row) => row[1] === "megatron-bridge" && row[2] === "gb200" && /llama3/i.test(row[4])), found.join("\n"));
    return found;
  });
  await stepcast.waitFor("the words in the link", () => stepcast.fragment().includes("v.runs-find=llama3%20bridge"));
  const again = await shared.open(stepcast.fragment());
  await again.unfold("accuracy");
  await eventually(async () => assert.deepEqual(await runs(again.page.locator("#accuracy")), shown));
});

test("a click loads a run into the form, which forecasts the same", async () => {
  const { stepcast, panel } = await opened();
  for (const words of ["mbridge deepseek", "vtrain", "dgxc llama4"]) {
    await panel.getByLabel("Find").fill(words);
    await stepcast.waitFor("such runs", async () => (await runs(panel))[0][0].startsWith(words.split(" ")[0]));
    const [id, , , gpus, , , forecast] = (await runs(panel))[0];
    await panel.getByRole("button", { name: id, exact: true }).click();
    const headline = async () => plain(await stepcast.page.locator("#figure-step .value").innerText());
    await stepcast.waitFor(`${id}: ${forecast}`, async () => (await headline()) === forecast);
    await stepcast.holds({ n: gpus.replace(",", "") });
    assert.equal(await stepcast.page.locator("[aria-invalid=true]").count(), 0, "possible on the form");
    assert.ok(await panel.locator("#accuracy-runs").isVisible(), "the panel stays open");
  }
});

test("runs that cannot be loaded are a sentence, and may be tried again", async () => {
  const context = await shared.browser.newContext();
  await context.route(isRuns, (route) => route.abort());
  const stepcast = await Stepcast.open(context, shared.url, LLAMA);
  const panel = await stepcast.unfold("accuracy");
  await says(panel.getByRole("alert"), /could not be loaded/);
  await context.unroute(isRuns);
  await panel.getByRole("button", { name: "Try again" }).click();
  await panel.locator("#accuracy-runs").waitFor();
  await context.close();
});
