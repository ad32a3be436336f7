// The pipeline's timeline: drawn, zoomed, read, and handed on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stepcast as cli } from "./support/cli.mjs";
import { downloaded, rows } from "./support/page.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const lanes = (panel) => panel.getByLabel("Pipeline passes");

test("the timeline is the command line's, as a table and as a trace", async () => {
  const stepcast = await shared.open(LLAMA);
  const panel = await stepcast.unfold("timeline");
  const replayed = cli("timeline", LLAMA);
  await panel.getByRole("button", { name: "View as table" }).click();
  await panel.locator("#timeline-table").waitFor();
  const stages = await rows(panel.locator("#timeline-table"));
  assert.equal(stages.length, replayed.busy.length);
  const passes = replayed.events.filter((event) => event.stage === 0).length;
  assert.equal(stages[0][1], String(passes));
  const { name, bytes } = await downloaded(panel.getByRole("button", { name: "Download trace" }));
  assert.equal(name, "timeline.trace.json");
  const trace = JSON.parse(bytes);
  assert.equal(trace.traceEvents.filter((event) => event.ph === "X").length, replayed.events.length);
});

test("the timeline is zoomed and moved by buttons, keys, wheel and pointer, and the link keeps it", async () => {
  const stepcast = await shared.open(LLAMA);
  const panel = await stepcast.unfold("timeline");
  const span = async () => /v\.time=([^;]*)/.exec(stepcast.fragment())?.[1] ?? "";
  const becomes = (text) => stepcast.waitFor(`span is ${text}`, async () => (await span()) === text);
  // It opens on the first passes.
  await panel.getByRole("button", { name: "The whole step" }).click();
  await becomes("0_1");
  await panel.getByRole("button", { name: "Zoom in" }).click();
  await becomes("0.25_0.75");
  await panel.getByRole("button", { name: "Later" }).click();
  await becomes("0.5_1");
  await lanes(panel).focus();
  await stepcast.page.keyboard.press("a");
  await becomes("0.4_0.9");
  const box = await lanes(panel).boundingBox();
  await stepcast.page.mouse.move(box.x + box.width / 2, box.y + 20);
  await stepcast.page.mouse.down();
  await stepcast.page.mouse.move(box.x + box.width / 2 + 100, box.y + 20, { steps: 4 });
  await stepcast.page.mouse.up();
  await stepcast.waitFor("dragged", async () => Number((await span()).split("_")[0]) < 0.4);
  const dragged = await span();
  await stepcast.page.keyboard.down("Control");
  await stepcast.page.mouse.wheel(0, -100);
  await stepcast.page.keyboard.up("Control");
  const width = (text) => text.split("_").reduce((from, to) => to - from);
  await stepcast.waitFor("zoomed by the wheel", async () => width(await span()) < width(dragged));
  const kept = await span();
  await stepcast.page.reload();
  await stepcast.panelsDrawn();
  assert.equal(await span(), kept);
  await lanes(panel).focus();
  await stepcast.page.keyboard.press("0");
  await becomes("0_1");
});

test("passes are read by pointer and by keyboard", async () => {
  const stepcast = await shared.open(LLAMA);
  const panel = await stepcast.unfold("timeline");
  const readout = panel.locator("#lanes-readout");
  const says = (pattern) => readout.filter({ hasText: pattern }).waitFor();
  await lanes(panel).focus();
  await stepcast.page.keyboard.press("ArrowRight");
  await says(/^Stage 0, micro-batch 0: forward/);
  await stepcast.page.keyboard.press("ArrowRight");
  await says(/micro-batch 1: forward/);
  await stepcast.page.keyboard.press("ArrowDown");
  await says(/^Stage 1, micro-batch 1: forward/);
  await stepcast.page.keyboard.press("End");
  await says(/^Stage 1, micro-batch 63: backward/);
  const box = await lanes(panel).boundingBox();
  await stepcast.page.mouse.move(box.x + 60, box.y + 5);
  await says(/^Stage 0, micro-batch \d+: (forward|backward)/);
});

test("too many passes are refused in a sentence", async () => {
  const stepcast = await shared.open(`${LLAMA};gb=1048576;tp=8;pp=8`);
  const panel = await stepcast.unfold("timeline");
  await panel.getByText(/limited to 500,000/).waitFor();
});
