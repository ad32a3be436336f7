// From the address bar to an answer: how many actions a reader needs. An action is a click, or a text that is typed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, says } from "./support/page.mjs";
import { suite } from "./support/suite.mjs";

const shared = suite();

// A reader who counts.
async function reader() {
  const stepcast = await shared.open("");
  let count = 0;
  return {
    stepcast,
    count: () => count,
    click: async (selector) => {
      count += 1;
      await stepcast.page.locator(selector).click();
    },
    // Types where the focus is, and Enter.
    say: async (text) => {
      count += 1;
      await stepcast.page.locator("input:focus").waitFor();
      await stepcast.page.keyboard.type(text);
      await stepcast.page.keyboard.press("Enter");
    },
    fill: async (selector, text) => {
      count += 1;
      await stepcast.page.locator(selector).fill(text);
    },
  };
}

// Awaits the answer: nothing wrong, a layout that fits and leaves room, planned for the reader.
async function answered({ stepcast }, what) {
  let seen = "";
  const there = async () => {
    const stale = await stepcast.page.locator(".results.stale").count();
    const memory = await stepcast.page.locator("#figure-memory").innerText();
    const step = await stepcast.step.innerText();
    seen = [stepcast.fragment(), `${stale} stale`, memory, step].join("; ");
    // What stands in while the search begins may take hours a step.
    return stale === 0 && /^(Fits|Probably fits)/m.test(memory) && /\d\s*m?s$/.test(step);
  };
  await stepcast.waitFor(`${what}: an answer`, there).catch((error) => assert.fail(`${error.message}, not ${seen}`));
  await stepcast.isPlanned();
  // Where a field is looked for, the others are not there.
  if (await stepcast.page.locator("#form").isVisible()) await stepcast.page.locator("#find-field").fill("");
  await eventually(async () => {
    const tokens = Number(await stepcast.value("gb")) * Number(await stepcast.value("seq"));
    assert.ok(tokens >= 2 ** 19 && tokens <= 2 ** 26, `${what}: a batch of ${tokens} tokens`);
  });
}

test("the default job needs no action", async (t) => {
  const person = await reader();
  await answered(person, "default");
  assert.equal(person.count(), 0);
  t.diagnostic("0 actions");
});

test("a first visit offers jobs, each of which is planned with one action", async (t) => {
  const names = await (await shared.open("")).page.locator(".offered a").allInnerTexts();
  assert.ok(names.length >= 5, names.join());
  for (const name of names) {
    const person = await reader();
    const { stepcast } = person;
    await person.click(`.offered >> text=${name}`);
    await stepcast.waitFor(`${name} is in the link`, () => stepcast.fragment() !== "");
    await stepcast.waitFor(`${name} fits`, async () => /^(Fits|Probably fits)/m.test(await stepcast.page.locator("#figure-memory").innerText()));
    await stepcast.isPlanned();
    // They are for a first visit.
    await stepcast.page.locator(".offered").waitFor({ state: "detached" });
    assert.equal(person.count(), 1);
    t.diagnostic(`${name}: ${await stepcast.step.innerText()}`);
  }
});

test("adapters are one press away, with the software, batch and sequence that go with them", async () => {
  const { stepcast, click } = await reader();
  await click(".segments button >> text=QLoRA");
  await stepcast.waitFor("a job of adapters", () => /;lora=16;/.test(stepcast.fragment()) && /;base=nf4/.test(stepcast.fragment()));
  await says(stepcast.page.locator("#part-stack"), /PyTorch/);
  await stepcast.page.locator(".notice").waitFor();
  await click('.segments button >> text="Full"');
  await stepcast.waitFor("all weights again", () => !/;lora=16/.test(stepcast.fragment()));
});

test("the first screen has the answer, the breakdown and the timeline in sight", async () => {
  const stepcast = await shared.open("");
  await stepcast.searched();
  for (const part of ["#figure-step .value", "#breakdown .ruler-frame", "#timeline .overview-lanes"]) {
    await eventually(async () => {
      const { y, height } = await stepcast.page.locator(part).boundingBox();
      assert.ok(y >= 0 && y + height <= 900, `${part} from ${y} to ${y + height}`);
    });
  }
});

const JOBS = [
  ["deepseek-v3 on 2048 h800", { m: "deepseek-v3", n: "2048", g: "hgx-h800" }],
  ["llama-2 7b on 8 a100 with fsdp", { m: "llama2-7b", n: "8", g: "dgx-a100-80g", stack: "composer-fsdp" }],
  ["gpt-3 on 1,024 a100", { m: "gpt3-175b", n: "1024", g: "dgx-a100-80g", seq: "2048" }],
];

for (const [words, fields] of JOBS) {
  test(`${words}: at most three actions`, async (t) => {
    const person = await reader();
    await person.click("#part-m");
    await person.say(words);
    await answered(person, words);
    await person.stepcast.holds(fields);
    t.diagnostic(`${person.count()} actions; ${await person.stepcast.step.innerText()}`);
    assert.ok(person.count() <= 3);
  });
}

test("what is typed is taken, however fast Enter follows", async () => {
  const { stepcast, click } = await reader();
  await click("#part-m");
  const search = stepcast.page.locator("#picker-search");
  await search.fill("gpt-3 on 1");
  // The rest and Enter in one task: no list is drawn between them.
  await search.evaluate((input) => {
    input.value += ",024 a100";
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  });
  await stepcast.page.locator("#picker").waitFor({ state: "detached" });
  await stepcast.holds({ g: "dgx-a100-80g", n: "1024" });
});

test("a goal is part of the sentence, and what is typed for a number replaces it, with the batch that goes with it", async () => {
  const { stepcast, click, say } = await reader();
  await click("#part-m");
  await say("llama-3 8b on 32 h100 for 2T tokens");
  await click("#set-seq");
  await say("1M");
  await stepcast.waitFor("the sequence", () => /;seq=1M/.test(stepcast.fragment()));
  await stepcast.holds({ n: "32", tokens: "2T", gb: "4" });
  await says(stepcast.notice, /Global batch changed from \d+ to 4/);
});

const OWN = "13B model with 40 layers, hidden 5120, ffn 13824, 40 heads, vocab 50257 on 24 nodes of 8 H100, sequence 4096, batch 768";

test("an own model in a sentence: two actions, and what was assumed is said", async (t) => {
  const person = await reader();
  const { stepcast } = person;
  await person.click("#part-m");
  await person.say(OWN);
  await answered(person, "own model in words");
  await stepcast.holds({ layers: "40", hidden: "5120", ffn: "13824", heads: "40", kv: "40", vocab: "50257", n: "192", seq: "4096", gb: "768" });
  await says(stepcast.page.locator("#part-m"), /Custom 13B/);
  await says(stepcast.notice, /Assumed for the custom model: multi-head attention, a gated feed-forward layer \(SwiGLU\)/);
  t.diagnostic(`${person.count()} actions; ${await stepcast.step.innerText()}`);
  assert.equal(person.count(), 2);
});

test("a shape that lacks a size is not guessed: the list says what to add", async () => {
  const { stepcast, click } = await reader();
  await click("#part-m");
  await stepcast.page.locator("#picker-search").fill("13B model with 40 layers on 8 H100");
  await says(stepcast.page.locator(".picker-none"), /Add the hidden size and the vocabulary size of the model/);
  await stepcast.page.keyboard.press("Enter");
  assert.equal(stepcast.fragment(), "");
});

test("the same job on three machines: at most five actions", async (t) => {
  const person = await reader();
  const { page } = person.stepcast;
  await person.click("#part-m");
  await person.say("llama-3 70b on 512 h100");
  await person.click('.tabs [data-view="compare"]');
  for (const machine of ["DGX B200 SuperPOD", "GB200 NVL72"]) await person.click(`#jobs .suggestion >> text="${machine}"`);
  await person.stepcast.waitFor("three jobs", async () => (await person.stepcast.compared()) === 3);
  await says(page.locator("#jobs-table thead"), /H100.*B200.*GB200/s);
  t.diagnostic(`${person.count()} actions`);
  assert.ok(person.count() <= 5);
});

test("the further settings of a section are shown with one press", async () => {
  const { stepcast, click } = await reader();
  await click('.job-section .more >> text="Shape and attention"');
  await stepcast.page.locator('[name="layers"]:focus').waitFor();
});

test("an own model on an own cluster: at most eight actions", async (t) => {
  const person = await reader();
  await person.click("#part-m");
  await person.say("llama-2 13b on 24x8 h100");
  await person.click("#all-fields");
  await person.say("key/value heads");
  await person.fill('[name="kv"]', "8");
  await person.fill("#find-field", "nic");
  await person.fill('[name="nics"]', "1");
  await answered(person, "own model");
  await person.stepcast.holds({ kv: "8", n: "192", nics: "1", nic: "400" });
  await says(person.stepcast.page.locator("#part-m"), /edited/);
  t.diagnostic(`${person.count()} actions; ${await person.stepcast.step.innerText()}`);
  assert.ok(person.count() <= 8);
});

test("a goal without a sentence: at most four actions", async (t) => {
  const person = await reader();
  await person.click("#part-m");
  await person.say("llama-2 7b");
  for (const [id, text] of [["#set-tokens", "2T"], ["#set-days", "14"]]) {
    await person.fill(id, text);
    await person.stepcast.page.locator(id).press("Enter");
  }
  await answered(person, "a goal by hand");
  await person.stepcast.holds({ m: "llama2-7b", tokens: "2T", days: "14" });
  await says(person.stepcast.page.locator("#figure-days"), /deadline of 14 days/);
  t.diagnostic(`${person.count()} actions; ${await person.stepcast.step.innerText()}`);
  assert.ok(person.count() <= 4);
});

test("a sentence among all settings is set with one press, and a field is found by another tool's name", async () => {
  const { stepcast, click } = await reader();
  await click("#all-fields");
  const find = stepcast.page.locator("#find-field");
  await find.fill("8 H100, seq 4096");
  await stepcast.field("seq").waitFor();
  await click("#found-change");
  await stepcast.waitFor("they are set", () => /;n=8;seq=4096/.test(stepcast.fragment()));
  await find.fill("num_key_value_heads");
  await stepcast.field("kv").waitFor();
  await find.fill("xyzzy");
  await stepcast.page.getByText(/^No match\. Enter one word/).waitFor();
});

test("a link that is pasted where names are searched for opens", async () => {
  const { stepcast, click, say } = await reader();
  await click("#part-stack");
  await say("https://example.org/#1;m=llama3-8b;g=dgx-h100;n=64;tp=2;pp=1");
  await stepcast.page.locator("#part-stack:focus").waitFor();
  await stepcast.holds({ m: "llama3-8b", n: "64" });
});

test("the settings are walked and closed by keyboard", async () => {
  const { stepcast } = await reader();
  const { page } = stepcast;
  await page.locator("#part-g").focus();
  await page.keyboard.press("Enter");
  await page.locator("#picker-search:focus").waitFor();
  const active = async () => (await page.locator('#picker-list [aria-selected="true"]').innerText()).split("\n")[0];
  const first = await active();
  await page.keyboard.press("ArrowDown");
  await stepcast.waitFor("the second entry", async () => (await active()) !== first);
  const second = await active();
  await page.keyboard.press("Enter");
  await stepcast.waitFor("it is taken", async () => (await page.locator("#part-g").innerText()).trim() === second);
  await page.locator("#part-g:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.locator("#picker-search:focus").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#picker").waitFor({ state: "detached" });
  await page.locator("#part-g:focus").waitFor();
});

for (const [width, height] of [[1440, 900], [390, 844]]) {
  test(`the figures stay in sight while fields are edited at ${width} px`, async () => {
    const stepcast = await shared.open("", { viewport: { width, height } });
    await stepcast.ranked();
    await stepcast.openFields();
    await stepcast.reveal("usd");
    await stepcast.field("usd").scrollIntoViewIfNeeded();
    const step = width > 1280 ? stepcast.step : stepcast.page.locator(".mini strong");
    await step.waitFor();
    await eventually(async () => {
      const { y, height: tall } = await step.boundingBox();
      assert.ok(y >= 0 && y + tall <= height, `${y}`);
    });
    const before = await step.innerText();
    await stepcast.type("seq", "4k");
    await stepcast.waitFor("another step", async () => (await step.innerText()) !== before);
  });
}

for (const width of [320, 390, 768, 1024, 1350, 1440, 1920]) {
  test(`nothing jumps while the page opens at ${width} px`, async (t) => {
    const context = await shared.context({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    await page.addInitScript(() => {
      window.shift = 0;
      const add = (list) => list.getEntries().forEach((entry) => (window.shift += entry.hadRecentInput ? 0 : entry.value));
      new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(shared.url);
    await page.locator('#ranking .search[data-status="done"]').waitFor({ state: "attached" });
    await page.waitForTimeout(600);
    const shift = await page.evaluate(() => window.shift);
    t.diagnostic(`layout shift ${shift.toFixed(4)}`);
    assert.ok(shift <= 0.02, `${shift}`);
  });
}
