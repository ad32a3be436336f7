// What cannot be: each mistake gets a sentence at its field, stays as typed, and breaks nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, says } from "./support/page.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const MISTAKES = [
  { what: "3-way tensor parallelism on 64 heads", key: "tp", text: "3", patterns: [/64/, /\b(2|4)\b/] },
  { what: "10 GPUs in nodes of 8", key: "n", text: "10", patterns: [/nodes of 8/, /\b(8|16|32)\b/] },
  { what: "an empty field", key: "gb", text: "", patterns: [/./] },
  { what: "1e99", key: "seq", text: "1e99", patterns: [/16,777,216|16M|between|at most/i] },
  { what: "letters", key: "mb", text: "lots", patterns: [/number/i] },
  { what: "a negative number", key: "pp", text: "-4", patterns: [/\d/] },
  { what: "zero heads", key: "heads", text: "0", patterns: [/1/] },
  { what: "a batch that micro-batches do not divide", key: "gb", text: "7", patterns: [/\d/] },
  { what: "an unknown unit", key: "mem", text: "80 parsecs", patterns: [/GiB|unit/i] },
  { what: "not a number", key: "nic", text: "NaN", patterns: [/number/i] },
];

for (const { what, key, text, patterns } of MISTAKES) {
  test(`${what}: a sentence at the field`, async () => {
    const stepcast = await shared.open(LLAMA);
    const figures = await stepcast.figures();
    const link = stepcast.fragment();
    await stepcast.type(key, text);
    const sentence = await stepcast.complaint(key);
    for (const pattern of patterns) assert.match(sentence, pattern);
    await stepcast.holds({ [key]: text });
    await says(stepcast.page.locator("#problems"), /stale/i);
    assert.equal(await stepcast.figures(), figures, "the last valid figures stay");

    await stepcast.waitFor("the mistake in the link", () => stepcast.fragment() !== link);
    await stepcast.page.reload();
    await stepcast.page.locator("#form").waitFor();
    await stepcast.complaint(key);
    await stepcast.holds({ [key]: text });
  });
}

test("a suggested value mends the field", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.type("tp", "3");
  await stepcast.complaint("tp");
  await stepcast.page.locator("#x-tp .suggestion").first().click();
  await stepcast.waitFor("no complaint", async () => !(await stepcast.field("tp").getAttribute("aria-invalid")));
  await stepcast.page.locator("#problems").waitFor({ state: "detached" });
});

const BROKEN = [
  { what: "a newer link", fragment: "#999;m=llama3-70b", sentence: /version 999|newer/i },
  { what: "a link of no version", fragment: "#m=llama3-70b;n=8", sentence: /link/i },
  { what: "a link cut short", fragment: "#1;m=llama3-70b;g", sentence: /link/i },
  { what: "a link with broken escapes", fragment: "#1;m=%E0%A4%A", sentence: /./ },
];

for (const { what, fragment, sentence } of BROKEN) {
  test(`${what}: a notice, the defaults on the form, no figures, nothing stored`, async () => {
    // On a page that showed the forecast of another link.
    const stepcast = await shared.open(LLAMA);
    await stepcast.page.evaluate((hash) => (location.hash = hash), fragment);
    await says(stepcast.notice, sentence);
    await stepcast.step.waitFor({ state: "detached" });
    await eventually(async () => assert.equal(await stepcast.page.title(), "stepcast"));
    await stepcast.page.reload();
    await says(stepcast.notice, sentence);
    assert.equal(await stepcast.step.count(), 0);
    assert.equal(await stepcast.page.evaluate(() => localStorage.length), 0);
    await stepcast.type("n", "256");
    await stepcast.step.waitFor();
  });
}

test("a value of a link that is out of range is shown at its field, and no figures of another job", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.page.evaluate((hash) => (location.hash = hash), "#1;m=llama3-70b;g=dgx-h100;n=512;tp=3");
  await stepcast.step.waitFor({ state: "detached" });
  assert.match(await stepcast.complaint("tp"), /64/);
  await stepcast.holds({ tp: "3" });
});

// The same bytes each time, from a small generator of pseudo-random numbers.
function* pseudoRandom(seed) {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

function fuzzedLinks(count) {
  const numbers = pseudoRandom(1);
  const below = (limit) => Math.floor(numbers.next().value * limit);
  const keys = ["m", "g", "n", "tp", "pp", "mb", "gb", "seq", "zero", "rc", "layers", "mem", "nic", "sort", "x", ""];
  const values = ["0", "-1", "1e99", "NaN", "4294967296", "8k", "%00", "💥", "", "llama3-70b", "64x8", "3.5", "∞", "a=b"];
  const seeds = [
    // Fields with values that are out of range, of another kind, or no values at all.
    () => "#1" + Array.from({ length: below(8) }, () => `;${keys[below(keys.length)]}=${values[below(values.length)]}`).join(""),
    // A good link with a few bytes changed.
    () => {
      const bytes = [...`${LLAMA};tp=8;pp=4;mb=2;gb=512;rc=full`];
      for (let change = 0; change <= below(5); change += 1) {
        bytes[1 + below(bytes.length - 1)] = String.fromCharCode(32 + below(95));
      }
      return bytes.join("");
    },
    // Noise.
    () => "#" + Array.from({ length: below(200) }, () => String.fromCodePoint(32 + below(0x2fff))).join(""),
  ];
  return Array.from({ length: count }, (_, index) => seeds[index % seeds.length]());
}

test("200 fuzzed links bring nothing down and store nothing", async () => {
  const stepcast = await shared.open();
  const stored = await stepcast.page.evaluate(() => JSON.stringify(localStorage));
  for (const fragment of fuzzedLinks(200)) {
    await stepcast.page.evaluate((hash) => {
      location.hash = hash;
      return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }, fragment);
    assert.equal(await stepcast.page.locator("#failure").isHidden(), true, fragment);
  }
  assert.equal(await stepcast.page.evaluate(() => JSON.stringify(localStorage)), stored);
  await stepcast.page.evaluate((hash) => {
    location.hash = hash;
  }, LLAMA);
  await stepcast.holds({ n: "512" });
  await stepcast.page.locator("#problems").waitFor({ state: "detached" });
});

test("fuzzed links break no fresh visit", async () => {
  for (const fragment of fuzzedLinks(24)) {
    const context = await shared.context();
    const page = await context.newPage();
    await page.goto(shared.url + fragment);
    await page.locator("#job").waitFor();
    assert.equal(await page.locator("#failure").isHidden(), true, fragment);
    await context.close();
  }
});

test("the figures follow into the bar on a page that began without any", async () => {
  const context = await shared.context();
  const page = await context.newPage();
  await page.goto(`${shared.url}#2;m=llama3-70b;g=dgx-h100;n=lots`);
  await page.locator("#problems").waitFor();
  assert.equal(await page.locator("#summary").count(), 0);
  await page.evaluate((link) => (location.hash = link), LLAMA);
  await page.locator("#summary").waitFor();
  await page.locator(".mini").waitFor({ state: "hidden" });
  await page.locator(".footer").scrollIntoViewIfNeeded();
  await page.locator(".mini").waitFor();
});
