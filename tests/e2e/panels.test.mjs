// What the panels show, against what the command line says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stepcast as cli } from "./support/cli.mjs";
import { downloaded, eventually, plain, rows, says } from "./support/page.mjs";
import { APNET, LLAMA, LLAMA_WRITTEN, suite } from "./support/suite.mjs";

const shared = suite();

// Opens the page with one panel open.
async function opened(id, link) {
  const stepcast = await shared.open(link);
  return { stepcast, panel: await stepcast.unfold(id) };
}

async function asTable(panel, chart) {
  await panel.locator(`#${chart}`).getByRole("button", { name: "View as table" }).click();
  const table = panel.locator(`#${chart} table`);
  await table.waitFor();
  return rows(table);
}

const percent = (share) => `${(share * 100).toFixed(1)} %`;

test("the closed form has every equation with the numbers of the command line", async () => {
  const { stepcast, panel } = await opened("closed-form", APNET);
  const shows = (...more) =>
    eventually(async () => {
      const { equations } = cli("predict", APNET, "--cost-model", "closed-form", ...more);
      assert.equal(equations.length, 11);
      const results = await panel.locator(".equations strong").allInnerTexts();
      assert.deepEqual(results.map(plain), equations.map((one) => plain(`= ${one.result}`)));
    });
  await shows();
  const comparison = await rows(panel.locator("#closed-comparison"));
  assert.ok(comparison.length >= 7 && comparison.every((row) => row[4] !== ""), "every difference has a reason");
  await panel.getByLabel("Utilisation").fill("0.5");
  await stepcast.waitFor("the number in the link", () => stepcast.fragment().includes("v.mu=0.5"));
  await shows("--mu", "0.5");
  await panel.getByLabel("Utilisation").fill("2");
  await panel.getByText("The utilisation must be above 0").waitFor();
  assert.equal(await panel.getByLabel("Utilisation").getAttribute("aria-invalid"), "true");
});

test("the sizes of messages are those of the paper's figure 1 and of this plan", async () => {
  const { panel } = await opened("sizes", APNET);
  const table = await asTable(panel, "sizes-chart");
  const own = table.filter((row) => row[0].startsWith("This layout")).map((row) => [row[1], Number(row[2])]);
  const messages = cli("traffic", APNET).messages;
  const total = messages.reduce((sum, message) => sum + message.count, 0);
  assert.equal(own.reduce((sum, row) => sum + row[1], 0), total);
  const largest = table.filter((row) => row[0] === "VGG-16").at(-1);
  assert.deepEqual([largest[1], largest[3]], ["392 MiB", "100.0 %"]);
  const networks = [...new Set(table.map((row) => row[0]))];
  assert.deepEqual(networks.slice(1), ["ResNet-50", "ResNet-101", "VGG-16", "BERT-base", "BERT-large"]);
});

test("the links of a stage are drawn for a step, and repeated", async () => {
  const { stepcast, panel } = await opened("links", APNET);
  const step = cli("predict", APNET).step_s;
  await says(panel.locator("p").first(), new RegExp(`of the ${step.toPrecision(3)}\\ss step`));
  const pixels = () => panel.locator("canvas").evaluate((canvas) => canvas.toDataURL());
  const one = await pixels();
  await panel.getByLabel("Show").selectOption("2");
  await stepcast.waitFor("another drawing", async () => (await pixels()) !== one);
  const table = await asTable(panel, "links-chart");
  const share = (name) => Number.parseFloat(table.find((row) => row[0] === name)?.[2] ?? "0");
  const inOrder = ["Forward", "Backward", "Optimizer", "Idle", "Tensor parallel", "Data parallel", "Embedding synchronisation"];
  const sum = inOrder.map(share).reduce((one, other) => one + other, 0);
  assert.ok(Math.abs(sum - 100) < 0.5, `${sum} %: what a rank does one after the other fills the step`);
});

test("two protocols are compared, and two platforms", async () => {
  const { stepcast, panel } = await opened("platforms", APNET);
  const table = async () => rows(panel.locator("#platform-table"));
  const step = (await table()).find((row) => row[0] === "Step");
  assert.equal(step[1], `${cli("predict", APNET).step_s.toPrecision(3)} s`);
  assert.ok((await table()).every((row) => row[3].endsWith("×")));
  await panel.getByLabel("Second", { exact: true }).selectOption("apnet24-v100-nvlink");
  await stepcast.waitFor("another platform", async () => (await table()).find((row) => row[0] === "Step")[2] !== step[2]);
  await says(panel.locator("#platform-table caption"), /Second: .*V100/);
  assert.equal((await asTable(panel, "bandwidth")).length, 8);
});

test("the scaling curve is the command line's, weak and strong", async () => {
  const { stepcast, panel } = await opened("scaling", LLAMA);
  await asTable(panel, "scaling-chart");
  for (const mode of ["weak", "strong"]) {
    // Weak scaling is shown first.
    if (mode === "strong") await panel.getByLabel("Scaling", { exact: true }).selectOption(mode);
    const curve = cli("scale", LLAMA, "--mode", mode);
    await eventually(async () =>
      assert.deepEqual(
        (await rows(panel.locator("#scaling-chart table"))).map((row) => [row[0].replace(",", ""), row[4], row[5]]),
        curve.points.map((point) => [String(point.gpus), percent(point.efficiency), percent(point.communication_share)]),
      ),
    );
    const turn = curve.turn === null ? /stays above 50/ : new RegExp(`Beyond ${curve.points[curve.turn].gpus.toLocaleString("en")} GPUs`);
    await says(panel.locator("p").first(), turn);
  }
  await stepcast.waitFor("the mode in the link", () => stepcast.fragment().includes("v.scaling=strong"));
});

test("networks with data parallelism alone are the command line's", async () => {
  const { panel } = await opened("data-parallel", APNET);
  const shown = await rows(panel.locator("#networks-table"));
  const factors = await asTable(panel, "networks-chart");
  assert.equal(shown.length, 5);
  for (const [index, name] of ["resnet50", "resnet101", "vgg16", "bert-base", "bert-large"].entries()) {
    const { steps } = cli("data-parallel", name, "--cluster", "apnet24-rtx3090", "--gpus", "4,8,16,32,64,128,256,512");
    const step = steps[3];
    assert.deepEqual(shown[index].slice(7), [step.communication_ratio, step.exposed_ratio, step.scaling_factor].map(percent));
    assert.deepEqual(factors[index].slice(1), steps.map((one) => percent(one.scaling_factor)));
  }
});

test("traffic of experts names the heaviest rank, with its spread, and refuses in a sentence", async () => {
  const { stepcast, panel } = await opened("experts", LLAMA);
  const sentence = panel.locator("#experts-summary");
  await says(sentence, /^Rank 0 has the most traffic: .* per step \(90.% range .* to .*\), .* times the average/);
  const times = async () => Number(/([\d.]+) times the average/.exec(await sentence.innerText())[1]);
  const first = await times();
  await panel.getByRole("textbox", { name: "Training step" }).fill("64000");
  await stepcast.waitFor("traffic evens out", async () => (await times()) < first);
  assert.equal((await asTable(panel, "experts-ranks")).length, 8);
  assert.equal((await asTable(panel, "experts-pairs")).length, 56);
  await panel.getByLabel("Capacity factor").fill("1");
  await sentence.filter({ hasText: "exceed the capacity and are dropped" }).waitFor();
  await panel.getByLabel("Experts", { exact: true }).fill("12");
  await panel.getByText("12 experts cannot be divided among 8 ranks. Use 8.").waitFor();
  await panel.getByLabel("Experts", { exact: true }).fill("many");
  await panel.getByText("is not valid. Enter a whole number.").waitFor();
});

test("a mixture of experts brings its own, and has their all-to-all in its messages and its matrix", async () => {
  const link = "#1;m=mixtral-8x7b;g=dgx-h100;n=64;ep=4";
  const { stepcast, panel } = await opened("experts", link);
  await panel.getByText("All-to-all traffic between the ranks of one EP group.").waitFor();
  assert.equal((await asTable(panel, "experts-ranks")).length, 4);
  const message = cli("traffic", link).messages.find((one) => one.kind === "expert_parallel");
  const messages = (await stepcast.unfold("messages")).locator("#messages-table");
  await messages.waitFor();
  const shown = await rows(messages);
  const row = shown.find((cells) => cells[0] === "Expert parallel" && cells[1] === "all-to-all");
  assert.equal(row[2].replaceAll(",", ""), String(message.count));
  const matrix = await stepcast.unfold("matrix");
  await matrix.locator("p").first().filter({ hasText: /expert parallel/ }).waitFor();
});

test("operators and stages are the command line's", async () => {
  const { stepcast, panel } = await opened("operators", LLAMA);
  const forecast = cli("predict", LLAMA);
  await panel.locator("#operators-table").waitFor();
  const operators = await rows(panel.locator("#operators-table"));
  assert.deepEqual(operators.map((row) => row[0]), forecast.operators.map((row) => row.name.replaceAll("_", " ")));
  assert.equal(await panel.locator(".fold-note").innerText(), String(forecast.operators.length));
  const stages = await rows((await stepcast.unfold("stages")).locator("#stages-table"));
  assert.deepEqual(stages.map((row) => Number(row[1])), forecast.stages.map((row) => row.layers));
});

test("the forecast leaves the page as Markdown and as the command line's JSON", async () => {
  const { panel } = await opened("export", LLAMA);
  const buttons = panel.getByRole("button", { name: "Download" });
  const json = await downloaded(buttons.nth(1));
  assert.equal(json.name, "forecast.json");
  assert.deepEqual(JSON.parse(json.bytes), cli("predict", LLAMA));
  const markdown = (await downloaded(buttons.nth(0))).bytes.toString();
  assert.match(markdown, /^\*\*Llama-3 70B on 512 GPUs/);
  assert.ok(markdown.includes(`<${shared.url}${LLAMA_WRITTEN}>`), markdown);
  await panel.getByRole("button", { name: "Copy" }).first().click();
  await panel.getByRole("status").first().filter({ hasText: /\S/ }).waitFor();
});

// What an SVG file holds: its title, words and metadata, texts, and its rectangles in shares of its size.
const readSvg = (page, text) =>
  page.evaluate((text) => {
    const file = new DOMParser().parseFromString(text, "image/svg+xml");
    const [, , across, down] = file.documentElement.getAttribute("viewBox").split(" ").map(Number);
    const of = (name) => [...file.querySelectorAll(name)].map((element) => element.textContent.trim());
    const number = (element, name) => Number(element.getAttribute(name));
    return {
      broken: file.querySelector("parsererror")?.textContent,
      ...Object.fromEntries(["title", "desc", "metadata", "text"].map((name) => [name, of(name)])),
      bars: [...file.querySelectorAll("rect")].map((rect) => ({
        fill: rect.getAttribute("fill"),
        left: number(rect, "x") / across,
        width: number(rect, "width") / across,
        bottom: (number(rect, "y") + number(rect, "height")) / down,
      })),
    };
  }, text);

test("a chart is a picture to keep, as PNG and as SVG, on the page's paper", async () => {
  const stepcast = await shared.open(LLAMA, { colorScheme: "dark" });
  const panel = await stepcast.unfold("waterfall");
  const png = await downloaded(panel.getByRole("button", { name: "PNG" }));
  assert.equal(png.name, "waterfall-chart.png");
  assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
  const corner = await stepcast.page.evaluate(async (text) => {
    const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context.drawImage(picture, 0, 0);
    return [...context.getImageData(0, 0, 1, 1).data];
  }, png.bytes.toString("base64"));
  assert.equal(corner[3], 255, "no light text on nothing");
  assert.ok(corner[0] < 60, `${corner}`);

  const svg = await downloaded(panel.getByRole("button", { name: "SVG" }));
  assert.equal(svg.name, "waterfall-chart.svg");
  const drawn = await readSvg(stepcast.page, svg.bytes.toString());
  assert.equal(drawn.broken, undefined);
  assert.deepEqual(drawn.title, ["Step time by part"]);
  assert.match(drawn.desc[0], /forward/i);
  assert.ok(drawn.metadata[0].includes("m=llama3-70b"), drawn.metadata[0]);
  const parts = Object.entries(cli("predict", LLAMA).breakdown).filter(([, seconds]) => seconds > 0);
  const [paper, forward, backward] = drawn.bars;
  assert.ok(paper.width > 0.999 && paper.bottom > 0.999, "the first rectangle is the paper");
  assert.equal(drawn.bars.length, 1 + parts.length);
  assert.ok(Math.abs(backward.width / forward.width / (parts[1][1] / parts[0][1]) - 1) < 0.01, "bars are as long as they take");
  assert.ok(Math.abs(backward.left - forward.left - forward.width) < 0.002);
  for (const label of ["Step time by part", "Forward", "Backward"]) assert.ok(drawn.text.includes(label), drawn.text.join());
  assert.ok(drawn.text.some((text) => text.includes(LLAMA.slice(4))), `the link is in sight: ${drawn.text.join()}`);
  assert.ok(drawn.bars.every((bar) => bar.left >= 0 && bar.left + bar.width <= 1.001 && bar.bottom <= 1.001), "nothing is cut off");
});

test("the matrix and the timeline are pictures, too", async () => {
  const stepcast = await shared.open(LLAMA);
  for (const [panel, name] of [["matrix", "matrix"], ["timeline", "timeline"]]) {
    const there = await stepcast.unfold(panel);
    const svg = await downloaded(there.getByRole("button", { name: "SVG" }));
    assert.equal(svg.name, `${name}.svg`);
    const drawn = await readSvg(stepcast.page, svg.bytes.toString());
    assert.equal(drawn.broken, undefined);
    assert.ok(drawn.bars.length > 50 && drawn.title[0].length > 5, `${drawn.bars.length} rectangles of ${drawn.title}`);
  }
});
