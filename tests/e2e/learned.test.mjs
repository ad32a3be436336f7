// Learned operators: shipped profiles, measurements of one's own, and one's own runs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stepcast as cli } from "./support/cli.mjs";
import { Stepcast, downloaded, eventually, rows } from "./support/page.mjs";
import { linear, nccl } from "./support/samples.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

// A job that GPUs of the paper's machines run: Llama 2 7B, 4 pipeline, 2 tensor, 2 data.
const PAPER = "#1;m=llama2-7b;g=perlmutter;n=16;seq=4096;gb=64;mb=4;tp=2;pp=4;zero=0;rc=full";

const file = (name, text) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

// Seconds of a time as the page writes it.
function seconds(text) {
  const units = { s: 1, ms: 1e-3, µs: 1e-6, min: 60, h: 3600 };
  const [, digits, unit] = text.match(/^([\d.,]+) (\S+)$/);
  return Number(digits.replaceAll(",", "")) * units[unit];
}

const close = (shown, exact) => assert.ok(Math.abs(seconds(shown) / exact - 1) < 0.006, `${shown}, ${exact} s`);

test("a shipped profile is fetched when it is used, and forecasts as the command line does", async () => {
  const context = await shared.context();
  const fetched = [];
  context.on("request", (request) => request.url().includes(".profile") && fetched.push(new URL(request.url()).pathname));
  const stepcast = await Stepcast.open(context, shared.url, PAPER);
  await stepcast.unfold("stages");
  assert.deepEqual(fetched, []);
  const panel = await stepcast.unfold("learned");
  await panel.locator("#timelines").waitFor();
  assert.deepEqual(fetched.map((path) => path.split("/").at(-1)), ["perlmutter.profile"]);

  const [total] = (await rows(panel.locator("#learned-step"))).slice(-1);
  close(total[1], cli("predict", PAPER).step_s);
  close(total[2], cli("predict", PAPER, "--profile", "perlmutter", "--cost-model", "detailed").step_s);

  const alone = cli("predict", PAPER, "--profile", "perlmutter", "--cost-model", "operators");
  const timelines = await rows(panel.locator("#timelines"));
  close(timelines[0][1], alone.step_s);
  close(timelines[1][1], alone.paper_timeline_s);
  assert.match(timelines[1][2], /^\+\d/, "the paper's timeline is longer");
  const every = await rows(panel.locator("#learned-every"));
  assert.equal(every.length, alone.operators.length);
  const words = { measured: "measured range", extrapolated: "extrapolated", default: "default" };
  assert.deepEqual(every.map((row) => row[6]), alone.operators.map((row) => words[row.provenance]));
  const fallen = await panel.locator("#fallen-back").innerText();
  for (const row of alone.operators.filter((row) => row.provenance === "default")) {
    assert.ok(fallen.includes("(default)"), `${row.operator}: ${fallen}`);
  }
  await panel.getByLabel("Layers").selectOption("plan");
  const dealt = cli("predict", PAPER, "--profile", "perlmutter", "--cost-model", "operators", "--layers", "planned");
  await stepcast.waitFor("another deal", async () => {
    const [shown] = await rows(panel.locator("#timelines"));
    return Math.abs(seconds(shown[1]) / dealt.step_s - 1) < 0.006;
  });
});

test("a profile of another GPU says so", async () => {
  const stepcast = await shared.open(LLAMA);
  const panel = await stepcast.unfold("learned");
  await panel.locator("#learned-operators").waitFor();
  const provenances = new Set((await rows(panel.locator("#learned-operators"))).map((row) => row[5]));
  assert.ok(provenances.has("measured range") && provenances.has("default"), [...provenances].join());
  assert.equal(await panel.locator(".error").count(), 0);
  await panel.getByLabel("Profile").selectOption("a100");
  await panel.getByText("this job uses other GPUs").waitFor();
});

test("measurements of one's own are checked, learned from, used, saved and opened again", async (t) => {
  const context = await shared.context();
  const stepcast = await Stepcast.open(context, shared.url, LLAMA);
  const panel = await stepcast.unfold("own");
  await panel.getByText("The files stay in your browser").waitFor();
  await panel.locator("#own-files").setInputFiles([
    file("linear1.csv", linear()),
    file("all_reduce_perf.txt", nccl()),
    file("notes.csv", "a,b\n1,2\n"),
  ]);
  await panel.locator("#own-problems > summary").click();
  await panel.locator("#own-problems li").nth(2).waitFor();
  const problems = await panel.locator("#own-problems li").allInnerTexts();
  assert.deepEqual(problems.slice(0, 2), [
    'linear1.csv, line 86, column l: "wide" is not a number.',
    "linear1.csv, line 87, column dim: The line ends before the column dim.",
  ]);
  assert.match(problems[2], /^notes\.csv, line 1: Unknown operator notes/);

  const sent = [];
  context.on("request", (request) => request.method() !== "GET" && sent.push(request.url()));
  const started = Date.now();
  await panel.locator("#own-learn").click();
  // The page stays of use meanwhile.
  await stepcast.type("gb", "2048");
  await panel.locator("#own-errors").waitFor({ timeout: 60_000 });
  t.diagnostic(`168 samples and 15 of nccl-tests learned in ${((Date.now() - started) / 1e3).toFixed(1)} s`);
  const errors = await rows(panel.locator("#own-errors"));
  assert.deepEqual(errors.map((row) => row[0]).sort(), ["allreduce", "gemm backward", "gemm forward"]);
  for (const row of errors) {
    assert.ok(row.slice(3, 7).every((cell) => /^[\d.]+ %$/.test(cell)), row.join());
    assert.ok(["physics", "hybrid"].includes(row[7]), row.join());
  }
  await panel.locator("#own-rejected > summary").click();
  await panel.locator("#own-rejected li").first().waitFor();
  const rejected = await panel.locator("#own-rejected li").allInnerTexts();
  assert.ok(rejected.some((text) => /^linear1, line 88: faster than the peak of the GPU/.test(text)), rejected.join());

  const points = panel.locator("#own-chart");
  await points.getByRole("button", { name: "View as table" }).click();
  await stepcast.waitFor("every point", async () => (await rows(points.locator("table"))).length >= 15);
  const step = async () => (await rows(panel.locator("#learned-step"))).at(-1).slice(1, 3);
  const before = await eventually(async () => {
    const shown = await step();
    assert.notEqual(shown[0], shown[1], "the forecast with the profile differs");
    return shown;
  });
  assert.deepEqual(sent, []);

  const { bytes } = await downloaded(panel.getByRole("button", { name: "Save the profile" }));
  await stepcast.waitFor("the edit in the link", () => /;gb=2048/.test(stepcast.fragment()));
  const again = await shared.open(stepcast.fragment());
  const other = await again.unfold("own");
  await other.locator("#own-profile").setInputFiles([{ ...file("own.profile", ""), buffer: bytes }]);
  await eventually(async () => assert.deepEqual((await rows(other.locator("#learned-step"))).at(-1).slice(1, 3), before));
  await other.locator("#own-profile").setInputFiles([file("own.profile", "nonsense")]);
  await other.getByRole("alert").waitFor();
});

test("learning leaves the page free, and can be cancelled and begun again", async (t) => {
  const stepcast = await shared.open(LLAMA);
  const panel = await stepcast.unfold("own");
  await panel.locator("#own-files").setInputFiles([file("linear1.csv", linear(true))]);
  await panel.getByText("1,756 samples").first().waitFor();
  await stepcast.page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
    }).observe({ type: "longtask" });
  });
  await panel.locator("#own-learn").click();
  const learned = async () => Number(await panel.locator("progress").getAttribute("value")) > 0.05;
  await stepcast.waitFor("some of it is learned", learned);
  const longest = await stepcast.page.evaluate(() => window.longest);
  t.diagnostic(`longest task of the page while it learns: ${longest.toFixed(0)} ms (aim 200)`);
  // Learning on the page's own thread would leave nothing to cancel.
  await panel.getByRole("button", { name: "Cancel" }).click();
  await panel.getByText("Cancelled").waitFor();
  assert.equal(await panel.locator("#own-errors").count(), 0);
  await panel.locator("#own-learn").click();
  await stepcast.waitFor("some of it is learned again", learned);
});

test("one's own runs move what they are evidence for, and nothing else", async () => {
  const job = "#1;m=llama2-7b;g=dgx-h100;n=1;tp=1;sp=0;pp=1;gb=64;rc=full";
  const stepcast = await shared.open(job);
  const panel = await stepcast.unfold("own-runs");
  const measured = cli("predict", job).step_s * 1.2;
  await panel.getByLabel("Measured steps").fill(`${measured}\nfast\n`);
  await panel.getByText("Measured steps, line 2, column seconds").waitFor();
  const factors = await eventually(async () => {
    const shown = await rows(panel.locator("#factors-table"));
    assert.match(shown[0][1], /^1\d\.\d % slower$/);
    return shown;
  });
  assert.match(factors[1][1], /^unchanged/);
  const [run] = await rows(panel.locator("#ratios-table"));
  assert.match(run[2], /^−1[67]\.\d %$/);
  const [total] = (await rows(panel.locator("#calibrated-step"))).slice(-1);
  const explained = cli("calibrate-run", "--run", job, String(measured));
  close(total[2], cli("predict", job, "--factors", explained.argument).step_s);
  await stepcast.waitFor("the runs in the link", () => stepcast.fragment().includes("v.runs="));
  const again = await shared.open(stepcast.fragment());
  await again.unfold("own-runs");
  await again.page.locator("#factors-table").waitFor();
});
