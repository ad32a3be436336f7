// The page plans for a reader who leaves the layout to it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { says } from "./support/page.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

// Nothing wrong on the form, and a forecast that fits.
async function settled(stepcast) {
  await stepcast.waitFor("a layout that fits", async () => {
    const wrong = await stepcast.page.locator('.form [aria-invalid="true"]').count();
    const stale = await stepcast.page.locator(".results.stale").count();
    const memory = await stepcast.page.locator("#figure-memory").innerText();
    return wrong + stale === 0 && /fits/i.test(memory) && !/not fit/i.test(memory);
  });
}

test("another model on other machines is planned for, in three actions", async () => {
  const stepcast = await shared.open("");
  await stepcast.choose("m", "llama2-7b");
  await stepcast.choose("g", "dgx-a100-80g");
  await stepcast.type("n", "8");
  await settled(stepcast);
  await stepcast.isPlanned();
  await stepcast.waitFor("a step of seconds", async () => Number.parseFloat(await stepcast.step.innerText()) > 1);
});

test("experts are dealt, and a model that no layout fits is not planned into the void", async () => {
  const stepcast = await shared.open("");
  await stepcast.choose("m", "deepseek-v3");
  await stepcast.choose("g", "hgx-h800");
  await stepcast.type("n", "2048");
  await settled(stepcast);
  await stepcast.waitFor("experts are spread", async () => Number(await stepcast.value("ep")) > 1);
});

test("one field that is typed is pinned alone, and one click lets it go", async () => {
  const stepcast = await shared.open("");
  await stepcast.ranked();
  await stepcast.type("tp", "8");
  const pinned = stepcast.page.locator("#plan .pinned");
  await says(pinned, /Tensor parallel .*pinned/);
  await stepcast.choose("m", "llama3-8b");
  await settled(stepcast);
  await stepcast.ranked();
  await stepcast.holds({ m: "llama3-8b", tp: "8" });
  await stepcast.isPlanned();
  await stepcast.waitFor("the link has it", () => stepcast.fragment() === "#2;m=llama3-8b;g=dgx-h100;n=512;tp=8");
  await pinned.click();
  await stepcast.waitFor("another degree", async () => (await stepcast.value("tp")) !== "8");
  await pinned.waitFor({ state: "detached" });
});

test("a model brings its batch, a machine its software, GPUs neither, and the page says so with a way back", async () => {
  const stepcast = await shared.open("");
  const batch = await stepcast.value("gb");
  await stepcast.type("n", "64");
  await settled(stepcast);
  await stepcast.waitFor("the link has them", () => /;n=64(;|$)/.test(stepcast.fragment()));
  await stepcast.holds({ gb: batch });
  await stepcast.choose("g", "mi300x");
  await stepcast.holds({ stack: "megatron-lm" });
  await says(stepcast.notice, /^Software changed from .* to .*, the default for this machine\./);
  await stepcast.notice.getByRole("button", { name: "Undo" }).click();
  await stepcast.holds({ g: "dgx-h100" });
  await stepcast.notice.waitFor({ state: "detached" });
  await stepcast.type("gb", "64");
  await stepcast.choose("stack", "torchtitan");
  await stepcast.choose("m", "llama2-7b");
  await stepcast.choose("g", "mi300x");
  await settled(stepcast);
  await stepcast.waitFor("what is set stays", () =>
    ["m=llama2-7b", "g=mi300x", "gb=64", "stack=torchtitan"].every((pair) => stepcast.fragment().split(";").includes(pair)),
  );
});

test("a number that is half typed is not forecast, and what is typed wrongly opens no drawer", async () => {
  const stepcast = await shared.open("");
  await stepcast.ranked();
  const { page } = stepcast;
  const before = await stepcast.figures();
  await page.evaluate(() => {
    window.steps = new Set();
    const note = () => window.steps.add(document.querySelector("#figure-step .value").innerText);
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await stepcast.openJob();
  const field = page.locator("#set-n");
  await field.focus();
  for (const key of "1024") await page.keyboard.press(key);
  await field.press("Enter");
  await stepcast.waitFor("other figures", async () => (await stepcast.figures()) !== before);
  await stepcast.searched();
  const first = await page.evaluate(() => [...window.steps]);
  assert.ok(first.length > 0 && first.every((step) => Number.parseFloat(step) < 30), `no step of 1, 10 or 102 GPUs: ${first.join()}`);
  await field.fill("10");
  await field.press("Enter");
  await page.locator("#problems").waitFor();
  assert.equal(await page.locator("#form").isVisible(), false);
  assert.equal(await field.inputValue(), "10");
});

test("where no layout fits, it says so and offers changes that help", async () => {
  const stepcast = await shared.open("");
  await stepcast.choose("m", "llama3-405b");
  await stepcast.choose("g", "dgx-a100-40g");
  await stepcast.type("n", "8");
  const helps = stepcast.page.locator("#helps");
  await says(helps, /No layout of this job fits/);
  await says(stepcast.page.locator("#figure-memory"), /does not fit: .* more than/i);
  await helps.getByRole("button", { name: /^GPUs/ }).click();
  await settled(stepcast);
  await stepcast.waitFor("more GPUs", async () => Number(await stepcast.value("n")) > 8);
});

test("a layout that was taken over, and that of a link, stay", async () => {
  const stepcast = await shared.open("");
  await stepcast.ranked();
  await stepcast.page.getByRole("button", { name: "Use: Simplest" }).click();
  await stepcast.waitFor("it is in the link", () => /;tp=/.test(stepcast.fragment()));
  const taken = await stepcast.value("tp");
  await stepcast.type("gb", "2048");
  await stepcast.waitFor("the batch in the link", () => /;gb=2048/.test(stepcast.fragment()));
  await stepcast.searched();
  await stepcast.holds({ tp: taken });
  await stepcast.isPlanned(false);
  const linked = await shared.open(LLAMA);
  await linked.type("gb", "2048");
  await linked.waitFor("the batch in the link", () => /;gb=2048/.test(linked.fragment()));
  await linked.searched();
  await linked.holds({ tp: "8" });
  // Until it is asked for.
  await linked.page.locator("#plan-for-me").click();
  await linked.waitFor("another layout", async () => (await linked.value("tp")) !== "8");
  await linked.waitFor("the link leaves it out", () => /^#2;/.test(linked.fragment()) && !/;(tp|pp|~)/.test(linked.fragment()));
});

// What the page shows of a job that it planned: "fits", "none fits", or what is wrong.
const planned = (page) =>
  page.evaluate(() => {
    const invalid = [...document.querySelectorAll('.form [aria-invalid="true"]')].map((field) => field.id);
    if (invalid.length || document.querySelector(".results.stale")) return `invalid: ${invalid}`;
    const memory = document.querySelector("#figure-memory").innerText;
    if (!/not fit/i.test(memory)) return /fits/i.test(memory) ? "fits" : "no memory";
    const none = /No layout of this job/.test(document.querySelector("#summary").innerText);
    return none ? "none fits" : "does not fit";
  });

test("30 random changes of model, machine and GPUs never leave the page on what cannot run or does not fit", async (t) => {
  const stepcast = await shared.open("");
  await stepcast.openFields();
  const choices = (key) => stepcast.field(key).locator("option").evaluateAll((all) => all.map((one) => one.value));
  const [models, machines] = [await choices("m"), await choices("g")];
  let state = 7;
  // The same changes each time.
  const below = (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  let without = 0;
  for (let change = 0; change < 30; change += 1) {
    const [key, value] = [() => ["m", models[below(models.length)]], () => ["g", machines[below(machines.length)]], () => ["n", 2 ** below(13)]][below(3)]();
    if (key === "n") await stepcast.type(key, String(value));
    else await stepcast.choose(key, value);
    await stepcast.waitFor("the change in the link", () => stepcast.fragment().split(";").includes(`${key}=${value}`));
    let shown = "";
    await stepcast.waitFor(`a plan for ${stepcast.fragment()}`, async () => {
      shown = await planned(stepcast.page);
      return shown === "fits" || shown === "none fits";
    });
    without += Number(shown === "none fits");
  }
  t.diagnostic(`for ${without} of 30 jobs no layout fits, and the page says so`);
  assert.ok(without < 20, `${without}`);
});
