// Every number explains itself: on hover, focus and tap, with formula, values and constants.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stepcast as cli } from "./support/cli.mjs";
import { eventually, plain, says } from "./support/page.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const tip = (stepcast) => stepcast.page.locator("#explanation");

test("a figure says what it is made of while the pointer or the focus is on it", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  assert.equal(await tip(stepcast).count(), 0);
  await stepcast.page.locator('[data-explain="step"]').first().hover();
  for (const pattern of [/^Step \d/, /Backward/, /Share of the dense 16-bit peak.*measured/, /kernels\.csv/]) await says(tip(stepcast), pattern);
  const text = plain(await tip(stepcast).innerText());
  assert.ok(text.startsWith(`Step ${plain(await stepcast.step.innerText())}`), text);
  // The pointer may move onto the window without it going away.
  await tip(stepcast).hover();
  await stepcast.page.waitForTimeout(400);
  assert.equal(await tip(stepcast).count(), 1, "it stays under the pointer");
  await stepcast.page.mouse.move(2, 2);
  await tip(stepcast).waitFor({ state: "detached" });

  // Focus opens one, too, the number is described by it, and Escape closes it.
  const number = stepcast.page.locator('[data-explain="memory"]').first();
  await number.focus();
  const described = (by) => eventually(async () => assert.equal(await number.getAttribute("aria-describedby"), by));
  await described("explanation");
  assert.equal(await tip(stepcast).getAttribute("role"), "tooltip");
  await says(tip(stepcast), /Activations.*Optimizer states/);
  await stepcast.page.keyboard.press("Escape");
  await tip(stepcast).waitFor({ state: "detached" });
  await described(null);
});

test("a tap opens it and another closes it", async () => {
  const stepcast = await shared.open(LLAMA, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  await stepcast.ranked();
  const number = stepcast.page.locator('[data-explain="step"]').first();
  await number.tap();
  await tip(stepcast).waitFor();
  const box = await tip(stepcast).boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 390, `from ${box.x}, ${box.width} wide`);
  await stepcast.page.waitForTimeout(400);
  await number.tap();
  await tip(stepcast).waitFor({ state: "detached" });
});

test("one that was pressed closes once the reader presses elsewhere or scrolls", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  const { page } = stepcast;
  const number = page.locator('[data-explain="step"]').first();
  // The first number that is reached loads what explains it.
  await number.hover();
  await tip(stepcast).waitFor();
  await page.keyboard.press("Escape");
  await tip(stepcast).waitFor({ state: "detached" });
  const moves = [() => page.mouse.click(2, 2), () => page.mouse.wheel(0, 200), () => page.keyboard.press("Escape")];
  for (const move of moves) {
    await number.click();
    await tip(stepcast).waitFor();
    await page.mouse.move(2, 2);
    await page.waitForTimeout(400);
    assert.equal(await tip(stepcast).count(), 1, "it stays while it is read");
    await move();
    await tip(stepcast).waitFor({ state: "detached" });
    await page.evaluate(() => scrollTo(0, 0));
  }
});

test("an operator shows its formula with the values of the command line", async () => {
  const stepcast = await shared.open(LLAMA);
  const panel = await stepcast.unfold("operators");
  const row = panel.locator("tbody tr").nth(2);
  const name = plain(await row.locator("th").innerText());
  await row.locator("th").focus();
  await tip(stepcast).waitFor();
  const key = await row.locator("th").getAttribute("data-explain");
  const told = cli("explain", LLAMA, "--item", key)[0];
  assert.ok(told.term.name.includes(name), `${told.term.name} is ${name}`);
  const { formula } = told.term;
  const [constant] = told.constants;
  await eventually(async () => {
    const text = plain(await tip(stepcast).innerText());
    for (const part of [formula.words, formula.values, constant.source, constant.evidence]) {
      assert.ok(text.includes(plain(part)), `${part} in ${text}`);
    }
  });
});

test("parts of a chart answer pointer and arrow keys with value, share and meaning", async () => {
  const stepcast = await shared.open(LLAMA);
  const panel = await stepcast.unfold("waterfall");
  const spots = panel.locator(".spots rect");
  await spots.first().waitFor();
  const parts = Object.entries(cli("predict", LLAMA).breakdown).filter(([, seconds]) => seconds > 0);
  assert.equal(await spots.count(), parts.length);
  assert.match(await spots.nth(0).getAttribute("aria-label"), /^Forward: \d.*s, \d+\.\d.% of the step$/u);
  await spots.nth(0).focus();
  await says(tip(stepcast), /^Forward .*Kernels of the forward passes/);
  await stepcast.page.keyboard.press("ArrowDown");
  await says(tip(stepcast), /^Backward/);
  const stops = () => spots.evaluateAll((all) => all.filter((one) => one.tabIndex === 0).length);
  await stepcast.waitFor("one stop of the keyboard", async () => (await stops()) === 1);
  const memory = (await stepcast.unfold("memory")).locator(".spots rect").first();
  await memory.waitFor();
  assert.match(await memory.getAttribute("aria-label"), /^Stage 0, Weights: .*GiB \(.*% of the peak\)$/u);
});
