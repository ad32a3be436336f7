// What cannot be: each mistake gets a sentence at its field, stays as typed, and breaks nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const MISTAKES = [
  { what: "3-way tensor parallelism on 64 heads", key: "tp", text: "3", says: [/64/, /\b(2|4)\b/] },
  { what: "10 GPUs in nodes of 8", key: "n", text: "10", says: [/nodes of 8/, /\b(8|16|32)\b/] },
  { what: "an empty field", key: "gb", text: "", says: [/./] },
  { what: "1e99", key: "seq", text: "1e99", says: [/16,777,216|16M|between|at most/i] },
  { what: "letters", key: "mb", text: "lots", says: [/number/i] },
  { what: "a negative number", key: "pp", text: "-4", says: [/\d/] },
  { what: "zero heads", key: "heads", text: "0", says: [/1/] },
  { what: "a batch that micro-batches do not divide", key: "gb", text: "7", says: [/\d/] },
  { what: "an unknown unit", key: "mem", text: "80 parsecs", says: [/GiB|unit/i] },
  { what: "not a number", key: "nic", text: "NaN", says: [/number/i] },
];

for (const { what, key, text, says } of MISTAKES) {
  test(`${what}: a sentence at the field`, async () => {
    const stepcast = await shared.open(LLAMA);
    const figures = await stepcast.figures();
    const link = stepcast.fragment();
    await stepcast.type(key, text);
    const sentence = await stepcast.complaint(key);
    for (const pattern of says) assert.match(sentence, pattern);
    assert.equal(await stepcast.value(key), text, "what was typed stays");
    assert.equal(await stepcast.figures(), figures, "the last valid figures stay");
    assert.match(await stepcast.page.locator("#problems").innerText(), /stale/i);

    await stepcast.waitFor("the mistake in the link", () => stepcast.fragment() !== link);
    await stepcast.page.reload();
    await stepcast.page.locator("#form").waitFor();
    await stepcast.complaint(key);
    assert.equal(await stepcast.value(key), text, "a reload keeps it");
  });
}

test("a suggested value mends the field", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.type("tp", "3");
  await stepcast.complaint("tp");
  await stepcast.page.locator("#x-tp .suggestion").first().click();
  await stepcast.waitFor("no complaint", async () => !(await stepcast.field("tp").getAttribute("aria-invalid")));
  assert.equal(await stepcast.page.locator("#problems").count(), 0);
});

const BROKEN = [
  { what: "a newer link", fragment: "#999;m=llama3-70b", says: /version 999|newer/i },
  { what: "a link of no version", fragment: "#m=llama3-70b;n=8", says: /link/i },
  { what: "a link cut short", fragment: "#1;m=llama3-70b;g", says: /link/i },
  { what: "a link with broken escapes", fragment: "#1;m=%E0%A4%A", says: /./ },
];

for (const { what, fragment, says } of BROKEN) {
  test(`${what}: a notice, the defaults on the form, no figures, nothing stored`, async () => {
    // On a page that showed the forecast of another link.
    const stepcast = await shared.open(LLAMA);
    await stepcast.page.evaluate((hash) => (location.hash = hash), fragment);
    await stepcast.notice.waitFor();
    assert.match(await stepcast.notice.innerText(), says);
    assert.equal(await stepcast.page.evaluate(() => localStorage.length), 0);
    assert.equal(await stepcast.step.count(), 0);
    assert.equal(await stepcast.page.title(), "stepcast");
    await stepcast.page.reload();
    await stepcast.notice.waitFor();
    assert.equal(await stepcast.step.count(), 0);
    await stepcast.type("n", "256");
    await stepcast.step.waitFor();
  });
}

test("a value of a link that is out of range is shown at its field, and no figures of another job", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.page.evaluate((hash) => (location.hash = hash), "#1;m=llama3-70b;g=dgx-h100;n=512;tp=3");
  await stepcast.waitFor("no figures", async () => (await stepcast.step.count()) === 0);
  assert.match(await stepcast.complaint("tp"), /64/);
  assert.equal(await stepcast.value("tp"), "3");
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
  await stepcast.waitFor("the page still works", async () => (await stepcast.value("n")) === "512");
  await stepcast.waitFor("a valid forecast", async () => (await stepcast.page.locator("#problems").count()) === 0);
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
  assert.equal(await page.locator(".mini").isVisible(), false);
  await page.locator(".footer").scrollIntoViewIfNeeded();
  await page.locator(".mini").waitFor();
});
