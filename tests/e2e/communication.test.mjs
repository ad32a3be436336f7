// Communication: messages of a rank, the matrix of who talks to whom.

import assert from "node:assert/strict";
import { test } from "node:test";
import { downloaded, eventually, plain, rows, says } from "./support/page.mjs";
import { APNET, LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const LARGE = "#1;m=llama3-405b;g=dgx-h100;n=16384;gb=2048;stack=fused;year=2024;pp=16;vpp=8;zero=2;split=ends";

test("the panels are built only once they are in sight", async () => {
  const stepcast = await shared.open(APNET);
  assert.ok((await stepcast.page.locator("#views section.panel").count()) > 1);
  assert.equal(await stepcast.page.locator(".panel-body").count(), 0);
});

test("the messages of rank 0 are those of the paper's table 3, and those of another rank stand in the link", async () => {
  const stepcast = await shared.open(APNET);
  const panel = await stepcast.unfold("messages");
  await panel.locator("tr.message").first().waitFor();
  const messages = (await rows(panel.locator("#messages-table"))).slice(0, 4);
  assert.deepEqual(messages.map(([kind, , count, size]) => `${kind}: ${count} of ${size}`), [
    "Tensor parallel: 680 of 125 MiB",
    "Pipeline parallel: 16 of 125 MiB",
    "Data parallel: 1 of 741 MiB",
    "Embedding synchronisation: 1 of 96.2 MiB",
  ]);
  assert.equal(await panel.locator("tr.message").count(), 4);

  await panel.locator("#messages-rank").fill("9");
  await stepcast.waitFor("the rank in the link", () => stepcast.fragment().includes("v.rank=9"));
  await panel.getByText("Rank 9: node 1").waitFor();
  await panel.locator("#messages-rank").fill("32");
  await panel.getByText("Rank 32 does not exist. Use 0 to 31.").waitFor();
  assert.equal(await panel.locator("#messages-rank").getAttribute("aria-invalid"), "true");
});

test("the matrix is walked by keyboard, opened, and left again", async () => {
  const stepcast = await shared.open(LLAMA);
  const panel = await stepcast.unfold("matrix");
  const map = panel.locator(".heatmap");
  const readout = panel.locator(".readout");
  const windows = panel.locator(".breadcrumb > *");
  assert.equal(await windows.count(), 1);
  await map.focus();
  await map.press("ArrowRight");
  await says(readout, /^node 0 .* sends .* B\) to node 0 .*, within a node\.$/);
  await map.press("ArrowRight");
  await says(readout, /node 1/);
  await map.press("ArrowLeft");
  await says(readout, /^node 0 .* sends .* to node 0 /);
  await map.press("Enter");
  await stepcast.waitFor("the inside of a machine", async () => (await windows.count()) === 2);
  await map.press("ArrowRight");
  await says(readout, /^GPU 0 \(node 0\) sends /);
  await stepcast.waitFor("the window in the link", () => stepcast.fragment().includes("v.zoom=0.0"));
  await map.press("Backspace");
  await stepcast.waitFor("the whole again", async () => (await windows.count()) === 1);
});

test("the customised mapping moves bytes between tiers but keeps their sum, and the matrix is a table and a file", async () => {
  const stepcast = await shared.open(APNET);
  const panel = await stepcast.unfold("matrix");
  const sums = async () => (await panel.locator("#matrix-sums .tier, #matrix-sums .total").allInnerTexts()).map(plain);
  await panel.locator("#matrix-sums .total").waitFor();
  const before = await sums();
  await panel.locator("#matrix-axes").selectOption("tpd");
  await eventually(async () => {
    const after = await sums();
    assert.notEqual(after[0], before[0]);
    assert.equal(after.at(-1), before.at(-1));
  });

  await panel.getByRole("button", { name: "View as table" }).click();
  await panel.locator("#matrix-table").waitFor();
  const { bytes } = await downloaded(panel.getByRole("button", { name: "Download CSV" }));
  const lines = bytes.toString().trim().split("\n");
  assert.equal(lines[0], "from_first_gpu,from_last_gpu,to_first_gpu,to_last_gpu,bytes,between_machines");
  assert.equal(lines.length, (await panel.locator("#matrix-table tbody tr").count()) + 1);
});

test("the matrix of 16,384 GPUs appears, a click on a cell opens it, and the way back is a button", async (t) => {
  const stepcast = await shared.open(LARGE);
  await stepcast.unfold("memory");
  const took = await stepcast.page.evaluate(async () => {
    const start = performance.now();
    document.querySelector('.tabs [data-view="communication"]').click();
    const drawn = () => document.querySelector("#matrix canvas")?.height > 200;
    while (!drawn()) await new Promise((resolve) => requestAnimationFrame(resolve));
    return performance.now() - start;
  });
  t.diagnostic(`matrix of 16,384 GPUs: ${took.toFixed(0)} ms (aim 200)`);
  const panel = await stepcast.unfold("matrix");
  await panel.locator("canvas").click({ position: { x: 62, y: 46 } });
  const windows = panel.locator(".breadcrumb > *");
  await stepcast.waitFor("a window", async () => (await windows.count()) === 2);
  await panel.getByRole("button", { name: "All 16,384 GPUs" }).click();
  await stepcast.waitFor("the whole", async () => (await windows.count()) === 1);
});

test("every panel fits, wide and narrow", async () => {
  const stepcast = await shared.open(APNET);
  await stepcast.ranked();
  await stepcast.drawn("communication");
  for (const width of [1440, 390]) {
    await stepcast.page.setViewportSize({ width, height: 844 });
    await stepcast.waitFor(`it fits at ${width} px`, () => stepcast.page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth));
  }
});
