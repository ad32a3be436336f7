// What cannot be: each mistake gets a sentence at its field, stays as typed, and breaks nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, says } from "./support/page.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const MISTAKES = [
  { what: "3-way tensor parallelism on 64 heads", key: "tp", text: "3", patterns: [/64/, /\b(2|4)\b/] },
  { what: "10 GPUs in nodes of 8", key: "n", text: "10", patterns: [/8 GPUs per node/, /\b(8|16|32)\b/] },
  { what: "an empty field", key: "gb", text: "", patterns: [/./] },
  { what: "1e99", key: "seq", text: "1e99", patterns: [/16,777,216|16M|between|at most/i] },
  { what: "letters", key: "mb", text: "lots", patterns: [/number/i] },
  { what: "a negative number", key: "pp", text: "-4", patterns: [/\d/] },
  { what: "zero heads", key: "heads", text: "0", patterns: [/1/] },
  { what: "a batch that micro-batches do not divide", key: "gb", text: "7", patterns: [/\d/] },
  { what: "an unknown unit", key: "mem", text: "80 parsecs", patterns: [/GiB|unit/i] },
  { what: "not a number", key: "nic", text: "NaN", patterns: [/number/i] },
];

// Puts a link into the address bar of an open page.
const go = (stepcast, fragment) => stepcast.page.evaluate((hash) => (location.hash = hash), fragment);

test("every mistake gets a sentence at its field, in the form and in a link, and the last figures stay", async (t) => {
  const stepcast = await shared.open(LLAMA);
  const figures = await stepcast.figures();
  const wrong = async ({ what, key, text, patterns }) => {
    const sentence = await stepcast.complaint(key);
    for (const pattern of patterns) assert.match(sentence, pattern, what);
    await stepcast.holds({ [key]: text });
  };
  const links = [];
  for (const mistake of MISTAKES) {
    t.diagnostic(mistake.what);
    await stepcast.type(mistake.key, mistake.text);
    await wrong(mistake);
    await says(stepcast.page.locator("#problems"), /stale/i);
    assert.equal(await stepcast.figures(), figures, `${mistake.what}: the last valid figures stay`);
    await stepcast.waitFor("the mistake in the link", () => stepcast.fragment() !== LLAMA && !links.includes(stepcast.fragment()));
    links.push(stepcast.fragment());
    await go(stepcast, LLAMA);
    await stepcast.page.locator("#problems").waitFor({ state: "detached" });
    await stepcast.waitFor("the figures of before", async () => (await stepcast.figures()) === figures);
  }
  for (const [index, mistake] of MISTAKES.entries()) {
    await go(stepcast, links[index]);
    await wrong(mistake);
  }
  await stepcast.page.reload();
  await wrong(MISTAKES.at(-1));
});

test("a suggested value mends the field", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.type("tp", "3");
  await stepcast.complaint("tp");
  await stepcast.page.locator("#x-tp .suggestion").first().click();
  await stepcast.waitFor("no complaint", async () => !(await stepcast.field("tp").getAttribute("aria-invalid")));
  await stepcast.page.locator("#problems").waitFor({ state: "detached" });
});

const BROKEN = [
  { what: "a newer link", fragment: "#999;m=llama3-70b", sentence: /format 999/ },
  { what: "a link of no version", fragment: "#m=llama3-70b;n=8", sentence: /link/i },
  { what: "a link cut short", fragment: "#1;m=llama3-70b;g", sentence: /link/i },
  { what: "a link with broken escapes", fragment: "#1;m=%E0%A4%A", sentence: /./ },
];

test("a link that cannot be read is a notice, the defaults on the form, no figures, nothing stored", async (t) => {
  const stepcast = await shared.open(LLAMA);
  const told = async (sentence) => {
    await says(stepcast.notice, sentence);
    await stepcast.step.waitFor({ state: "detached" });
    await eventually(async () => assert.equal(await stepcast.page.title(), "stepcast"));
    assert.equal(await stepcast.page.evaluate(() => localStorage.length), 0);
  };
  for (const { what, fragment, sentence } of BROKEN) {
    t.diagnostic(what);
    // On a page that showed the forecast of another link, and on one that shows none yet.
    await go(stepcast, LLAMA);
    await stepcast.step.waitFor();
    await go(stepcast, fragment);
    await told(sentence);
    await stepcast.page.reload();
    await told(sentence);
  }
  await stepcast.type("n", "256");
  await stepcast.step.waitFor();
});

test("a value of a link that is out of range is shown at its field, and no figures of another job", async () => {
  const stepcast = await shared.open(LLAMA);
  await go(stepcast, "#1;m=llama3-70b;g=dgx-h100;n=512;tp=3");
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

// How they are read is tried on many more in tests/text.
test("60 fuzzed links bring nothing down and store nothing", async () => {
  const stepcast = await shared.open();
  const stored = await stepcast.page.evaluate(() => JSON.stringify(localStorage));
  const failed = await stepcast.page.evaluate(async (links) => {
    for (const hash of links) {
      location.hash = hash;
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      if (document.querySelector("#failure").checkVisibility()) return hash;
    }
  }, fuzzedLinks(60));
  assert.equal(failed, undefined);
  assert.equal(await stepcast.page.evaluate(() => JSON.stringify(localStorage)), stored);
  await go(stepcast, LLAMA);
  await stepcast.holds({ n: "512" });
  await stepcast.page.locator("#problems").waitFor({ state: "detached" });
});

test("fuzzed links break no fresh visit", async () => {
  const page = await (await shared.context()).newPage();
  for (const fragment of fuzzedLinks(12)) {
    await page.goto("about:blank");
    await page.goto(shared.url + fragment);
    await page.locator("#job").waitFor();
    assert.equal(await page.locator("#failure").isHidden(), true, fragment);
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
