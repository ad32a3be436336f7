// The pictures that people show to others: roofline, placement of the ranks, the tools of every chart, runs beside the forecast.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { stepcast as cli } from "./support/cli.mjs";
import { eventually, plain, rows, says } from "./support/page.mjs";
import { LLAMA, LLAMA_WRITTEN, suite } from "./support/suite.mjs";

const shared = suite();

const DEEPSEEK =
  "#2;m=deepseek-v3;g=hgx-h800;n=2048;gb=15360;seq=4096;prec=fp8-block;xd=deepep;tokens=14.8T;tp=1;sp=0;pp=16;ep=64";

const percent = (text) => Number(text.replace(/[^\d.]/g, ""));

test("the roofline holds all of the step's compute, each kernel under its limit, for pointer, keyboard and table", async () => {
  const stepcast = await shared.open(LLAMA_WRITTEN);
  const panel = await stepcast.unfold("roofline");
  const spots = panel.locator("svg.spots rect");
  await spots.first().waitFor();
  assert.ok((await spots.count()) > 8);
  await spots.first().focus();
  const first = await spots.first().getAttribute("aria-label");
  await stepcast.page.keyboard.press("ArrowRight");
  const focused = await eventually(async () => {
    const label = await panel.locator("svg.spots rect:focus").getAttribute("aria-label");
    assert.notEqual(label, first);
    return label;
  });
  assert.match(plain(focused), /: [\d.]+ m?s per step \([\d.]+ % of the step\); .*; [\d.]+ m?s at the roofline, which would save [\d.]+ % of the step$/);
  await stepcast.page.locator(".explanation-place").getByText("at the roofline").waitFor();

  await panel.getByRole("button", { name: "View as table" }).click();
  await panel.locator("#roofline-table").waitFor();
  const table = await rows(panel.locator("#roofline-table"));
  const { operators, breakdown, step_s } = cli("predict", LLAMA_WRITTEN);
  const kernels = operators.filter((row) => !row.parallelism && row.step_s > 0);
  assert.equal(table.length, new Set(kernels.map((row) => row.name)).size, "a row for each kind of kernel");
  const compute = breakdown.forward + breakdown.backward + breakdown.recompute + breakdown.optimizer;
  const shares = table.reduce((sum, row) => sum + percent(row[2]), 0);
  assert.ok(Math.abs(shares - (100 * compute) / step_s) < 0.05 * table.length, `${shares} % of the step`);
  for (const [name, , share, , , ofRoof, , saved] of table) {
    assert.ok(percent(ofRoof) <= 100 && percent(saved) <= percent(share) + 0.05, name);
  }
});

test("the placement of ranks shows the groups of the one that is focused, and is a table, too", async () => {
  const stepcast = await shared.open(LLAMA_WRITTEN);
  const panel = await stepcast.unfold("machine");
  // 512 GPUs by TP 8, DP 16 and PP 4: a stage is 128 ranks.
  await says(panel.locator("#machine-summary"), /^512 GPUs on 64 nodes: TP 8, DP 16, PP 4\. Nodes shown: 32 of 64 \(the first 8 of 16 data-parallel replicas\)\.$/);
  const map = panel.locator(".machine");
  const readout = panel.locator("#machine-readout");
  await map.focus();
  for (const key of ["ArrowRight", "ArrowRight", "PageDown"]) await map.press(key);
  await says(readout, "Rank 9 on node 1: TP 1 of 8, DP 1 of 16, PP 0 of 4.");
  const groups = Object.fromEntries((await rows(panel.locator("#machine-groups"))).map(([group, ...cells]) => [group, cells]));
  assert.deepEqual(groups["Pipeline parallel"], ["4", "9, 137, 265, 393", "4"]);
  assert.deepEqual(groups["Tensor parallel"], ["8", "8, 9, … 15", "1"]);
  await map.press("Enter");
  await stepcast.waitFor("the rank in the link", () => stepcast.fragment().includes("v.rank=9"));
  await panel.locator("canvas").hover({ position: { x: 10, y: 30 } });
  await readout.getByText("Rank 0 on node 0").waitFor();
  await panel.getByRole("button", { name: "View as table" }).click();
  await panel.locator("#machine-table").waitFor();
  const table = await rows(panel.locator("#machine-table"));
  assert.equal(table.length, 256);
  assert.deepEqual(table[9], ["9", "1", "1", "1", "0"]);
});

test("every chart has the same tools in the same order, and its link leads to it", async () => {
  const stepcast = await shared.open(LLAMA_WRITTEN, { permissions: ["clipboard-read", "clipboard-write"] });
  for (const id of ["timeline", "roofline", "waterfall", "machine", "matrix", "links", "memory", "scaling"]) {
    const panel = await stepcast.unfold(id);
    await panel.locator(".chart-tools").first().waitFor();
    for (const tools of await panel.locator(".chart-tools").all()) {
      const names = await tools.getByRole("button").allInnerTexts();
      const common = names.filter((name) => ["View as table", "Copy link", "PNG", "SVG"].includes(name));
      assert.deepEqual(common, ["View as table", "Copy link", "PNG", "SVG"], `${id}: ${names}`);
    }
  }
  const panel = await stepcast.unfold("machine");
  await panel.getByRole("button", { name: "Copy link" }).click();
  await panel.getByText("Link copied.").waitFor();
  const copied = await stepcast.page.evaluate(() => navigator.clipboard.readText());
  const there = await shared.open(new URL(copied).hash);
  await there.page.locator("#machine canvas").waitFor();
});

test("a published run of the same model is beside the forecast, with that of its own job", async () => {
  const stepcast = await shared.open(DEEPSEEK);
  const panel = await stepcast.unfold("sure");
  const tables = panel.locator("#similar-runs table");
  await stepcast.waitFor("both runs", async () => (await tables.count()) === 2);
  const [report] = await rows(tables.nth(0));
  assert.deepEqual(report.slice(0, 2), ["GPU-hours for 14.8 T tokens", "2.66 M"]);

  const id = (await panel.locator("#similar-runs").innerText()).match(/Run (\S+) of the measured runs/)[1];
  const text = readFileSync(new URL("../../static/runs.tsv", import.meta.url), "utf8");
  const run = text.split("\n").map((line) => line.split("\t")).find((cells) => cells[1] === id);
  assert.match(run[5], /^DeepSeekV3/);
  const [step, hours] = await rows(tables.nth(1));
  const { step_s } = cli("predict", `#${run[9]}`);
  assert.ok(Math.abs(percent(step[1]) / Number(run[7]) - 1) < 0.006, step.join());
  assert.ok(Math.abs(percent(step[2]) / step_s - 1) < 0.006, step.join());
  assert.equal(step[3], hours[3]);
  await tables.nth(0).getByRole("button", { name: "Open this job" }).click();
  await stepcast.waitFor("the published layout", () => stepcast.fragment().includes("sched=dualpipe"));
});

test("MFU says which peak it is a share of", async () => {
  const text = async (link) => plain(await (await shared.open(link)).page.locator("#figure-mfu").innerText());
  assert.match(await text(LLAMA), /[\d.]+ of 989 TFLOP\/s \(16\u2011bit peak\) [\d,.]+ tokens\/s per GPU$/);
  assert.match(await text(`${LLAMA};prec=fp8`), / of 1,979 TFLOP\/s \(FP8 peak\) /);
});
