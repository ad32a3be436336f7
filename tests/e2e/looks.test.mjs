// What the page looks like: accessibility, width, sharpness. Leaves screenshots in output/.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import axe from "axe-core";
import { OUTPUT } from "./support/browser.mjs";
import { VIEWS } from "./support/page.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const SIZES = { 1440: { width: 1440, height: 900 }, 390: { width: 390, height: 844 } };
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

async function violations(page) {
  // The page's policy forbids scripts that are not its own; the browser's tools are exempt.
  await page.evaluate(axe.source);
  // What the bar on top covers for the moment is no small target.
  await page.evaluate(() => scrollTo(0, 0));
  const { violations } = await page.evaluate((values) => {
    return window.axe.run(document, { runOnly: { type: "tag", values } });
  }, RULES);
  return violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id} (${help}): ${node.html}`));
}

// Clicks until nothing is left to click.
async function clickEach(locator) {
  while (await locator.count()) await locator.first().click();
}

// States of the page, each reached from a ranked first visit.
const STATES = {
  ranked: async () => {},
  mistaken: async (stepcast) => {
    await stepcast.type("tp", "3");
    await stepcast.complaint("tp");
  },
  tables: async (stepcast) => {
    await clickEach(stepcast.page.getByRole("button", { name: "View as table" }));
    await stepcast.page.locator("#show-infeasible").check();
  },
  pinned: async (stepcast) => {
    for (const place of [0, 1]) await stepcast.rows.nth(place).locator(".pin").click();
    await stepcast.page.locator("#compare table").waitFor();
    await stepcast.page.locator("#ranking").screenshot({ path: join(OUTPUT, "pinned.png") });
  },
  picking: async (stepcast) => {
    await stepcast.openPart("m");
    await stepcast.page.locator("#picker-search").fill("llama");
  },
  fields: async (stepcast) => {
    await stepcast.openFields();
    await clickEach(stepcast.page.locator("details.fold:not([open]) > summary"));
    await clickEach(stepcast.page.locator('.help-button[aria-expanded="false"]:visible'));
  },
  unfolded: async (stepcast, check) => {
    for (const view of Object.keys(VIEWS)) {
      await stepcast.turn(view);
      await clickEach(stepcast.page.locator("#views details.fold-panel:not([open]) > summary"));
      await stepcast.panelsDrawn();
      await check(view);
    }
  },
};

for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`accessible in ${colorScheme} at ${name} px`, async () => {
      for (const [state, reach] of Object.entries(STATES)) {
        const stepcast = await shared.open(LLAMA, { colorScheme, viewport });
        await stepcast.ranked();
        await reach(stepcast, async (view) => assert.deepEqual(await violations(stepcast.page), [], view));
        if (state === "ranked") {
          await stepcast.page.screenshot({ path: join(OUTPUT, `${colorScheme}-${name}.png`) });
          await stepcast.page.screenshot({ path: join(OUTPUT, `${colorScheme}-${name}-full.png`), fullPage: true });
        }
        assert.deepEqual(await violations(stepcast.page), [], state);
        await stepcast.page.close();
      }
    });
  }
}

test("a link that cannot be read leaves an accessible page", async () => {
  const context = await shared.context();
  const page = await context.newPage();
  await page.goto(`${shared.url}#999;m=llama3-70b`);
  await page.locator(".notice").waitFor();
  assert.deepEqual(await violations(page), []);
});

for (const view of ["summary", "breakdown", "ranking"]) {
  test(`the embedded ${view} is accessible`, async () => {
    const context = await shared.context({ viewport: { width: 700, height: 520 } });
    const page = await context.newPage();
    await page.goto(`${shared.url}?embed=1&view=${view}${LLAMA}`);
    await page.locator(`#${view}`).waitFor();
    assert.deepEqual(await violations(page), []);
  });
}

for (const width of [320, 390, 768, 1024, 1440, 1920]) {
  test(`no sideways scrolling at ${width} px`, async () => {
    const stepcast = await shared.open(LLAMA, { viewport: { width, height: 844 } });
    await stepcast.ranked();
    const overflow = () =>
      stepcast.page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.scrollingElement;
        return scrollWidth - clientWidth;
      });
    assert.ok((await overflow()) <= 0, `${await overflow()} px too wide`);
    for (const part of ["m", "gb"]) {
      await stepcast.openPart(part);
      assert.ok((await overflow()) <= 0, `${part}: ${await overflow()} px too wide`);
      await stepcast.page.keyboard.press("Escape");
    }
    await stepcast.openFields();
    for (const fold of await stepcast.page.locator("details.fold > summary").all()) await fold.click();
    assert.ok((await overflow()) <= 0, `fields: ${await overflow()} px too wide`);
  });
}

for (const deviceScaleFactor of [1, 2]) {
  test(`charts are sharp at ${deviceScaleFactor} device pixels per CSS pixel`, async () => {
    const stepcast = await shared.open(LLAMA, { deviceScaleFactor });
    for (const panel of ["waterfall", "memory"]) {
      const canvas = (await stepcast.unfold(panel)).locator("canvas");
      await canvas.scrollIntoViewIfNeeded();
      const drawn = await canvas.evaluate((element) => {
        const { width, height } = element.getBoundingClientRect();
        const { data } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
        const colours = new Set();
        for (let index = 0; index < data.length; index += 4) {
          if (data[index + 3] === 255) colours.add((data[index] << 16) | (data[index + 1] << 8) | data[index + 2]);
        }
        return { across: element.width / width, down: element.height / height, colours: colours.size };
      });
      assert.ok(Math.abs(drawn.across - deviceScaleFactor) < 0.02, `${drawn.across} across`);
      assert.ok(Math.abs(drawn.down - deviceScaleFactor) < 0.02, `${drawn.down} down`);
      assert.ok(drawn.colours >= 3, `${drawn.colours} colours are drawn`);
    }
  });
}

test("the first stop of the keyboard skips to the forecast", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.page.keyboard.press("Tab");
  const focused = stepcast.page.locator(":focus");
  assert.match(await focused.innerText(), /skip/i);
  assert.ok(await focused.isVisible());
  await stepcast.page.keyboard.press("Enter");
  await stepcast.page.keyboard.press("Tab");
  const beyondForm = await stepcast.page.evaluate(() => {
    const form = document.querySelector("#form");
    return !form.contains(document.activeElement) && document.activeElement !== document.body;
  });
  assert.ok(beyondForm, "focus is past the form");
});

test("charts follow the theme", async () => {
  const stepcast = await shared.open(LLAMA, { colorScheme: "light" });
  const panel = await stepcast.unfold("waterfall");
  const pixels = () => panel.locator("canvas").evaluate((canvas) => canvas.toDataURL());
  const light = await pixels();
  await stepcast.page.emulateMedia({ colorScheme: "dark" });
  await stepcast.waitFor("another drawing", async () => (await pixels()) !== light);
});
