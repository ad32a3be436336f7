// What the page looks like: accessibility, width, sharpness.

import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { VIEWS, eventually, frames, says } from "./support/page.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

// Every width in either theme. Of the second theme only colours are another matter: what else axe looks at does not
// depend on it, and was looked at in the first.
const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const LOOKS = [
  { colorScheme: "light", viewport: DESK, only: null },
  { colorScheme: "dark", viewport: DESK, only: ["color-contrast"] },
  { colorScheme: "dark", viewport: PHONE, only: ["color-contrast"] },
  { colorScheme: "light", viewport: PHONE, only: null },
];

// Rows of a long table that are looked at: further ones are made by the same code.
const ROWS = 24;

// What axe objects to within an element, or on the whole page; by some rules or all.
async function violations(page, within = null, only = null) {
  // The page's policy forbids scripts that are not its own; the browser's tools are exempt.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  // What the bar on top covers for the moment is no small target.
  await page.evaluate(() => [window, document.querySelector("#job")].forEach((one) => one?.scrollTo(0, 0)));
  await frames(page);
  const { violations } = await page.evaluate(
    ([include, rules, values, rows]) =>
      window.axe.run(
        { ...(include && { include: [include] }), exclude: [`tbody > tr:nth-of-type(n + ${rows + 1})`] },
        { resultTypes: ["violations"], preload: false, runOnly: rules ? { type: "rule", values: rules } : { type: "tag", values } },
      ),
    [within, only, RULES, ROWS],
  );
  return violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id} (${help}): ${node.html}`));
}

// The same in every look of the page.
async function assertAccessible(page, state, within) {
  for (const { colorScheme, viewport, only } of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await violations(page, within, only), [], `${state}, ${colorScheme} at ${viewport.width} px`);
  }
  await page.setViewportSize(DESK);
}

// Clicks each of the elements that are there, once. All in one task: what a click changes is drawn a moment later, so that one that
// is looked for again may be found as it was, and be switched back.
const clickEach = (locator) => locator.evaluateAll((all) => all.forEach((one) => one.click()));

// States of one page, each reached from the one before, with the part of the page that it differs in.
const STATES = {
  ranked: { reach: async () => {}, within: null },
  picking: {
    reach: async (stepcast) => {
      await stepcast.openPart("m");
      await stepcast.page.locator("#picker-search").fill("llama");
    },
    leave: (stepcast) => stepcast.page.keyboard.press("Escape"),
    within: ".job",
  },
  tables: {
    reach: async (stepcast) => {
      await stepcast.listed();
      await stepcast.page.locator("#show-infeasible").check();
      for (const place of [0, 1]) await stepcast.rows.nth(place).locator(".pin").click();
      await stepcast.waitFor("both are compared", async () => (await stepcast.compared()) === 2);
    },
    within: "#ranking",
  },
  fields: {
    reach: async (stepcast) => {
      await stepcast.openFields();
      await clickEach(stepcast.page.locator("details.fold:not([open]) > summary"));
      await frames(stepcast.page);
      await clickEach(stepcast.page.locator('.help-button[aria-expanded="false"]:visible'));
    },
    within: "#form",
  },
  mistaken: {
    reach: async (stepcast) => {
      await stepcast.type("tp", "3");
      await stepcast.complaint("tp");
    },
    within: null,
  },
};

for (const [name, states] of Object.entries({ "the first screen": ["ranked", "picking", "tables"], "the fields": ["fields", "mistaken"] })) {
  test(`${name} is accessible in both themes, wide and narrow`, async () => {
    const stepcast = await shared.open(LLAMA);
    await stepcast.ranked();
    for (const state of states) {
      const { reach, leave, within } = STATES[state];
      await reach(stepcast);
      await assertAccessible(stepcast.page, state, within);
      await leave?.(stepcast);
    }
  });
}

test("every view with all its panels is accessible in both themes, wide and narrow", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  for (const view of Object.keys(VIEWS)) {
    await stepcast.drawn(view);
    await assertAccessible(stepcast.page, view, "#views");
    // A chart as a table is another thing to look at.
    const asTable = stepcast.page.locator("#views").getByRole("button", { name: "View as table" });
    if (await asTable.count()) {
      await clickEach(asTable);
      assert.deepEqual(await violations(stepcast.page, "#views"), [], `${view} as tables`);
    }
  }
});

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

test("no sideways scrolling from 320 to 1920 px", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  const overflow = () =>
    stepcast.page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.scrollingElement;
      return scrollWidth - clientWidth;
    });
  const done = stepcast.page.locator("#job-done");
  for (const width of [320, 390, 768, 1024, 1440, 1920]) {
    const fits = async (state) => {
      await frames(stepcast.page);
      await stepcast.waitFor(`${state} at ${width} px: not too wide`, async () => (await overflow()) <= 0);
    };
    await stepcast.page.setViewportSize({ width, height: 844 });
    await fits("the first screen");
    for (const part of ["m", "prec"]) {
      await stepcast.openPart(part);
      await fits(part);
      await stepcast.page.keyboard.press("Escape");
      await stepcast.page.locator("#picker").waitFor({ state: "detached" });
    }
    await stepcast.openFields();
    await clickEach(stepcast.page.locator("details.fold:not([open]) > summary"));
    await fits("fields");
    await stepcast.closeFields();
    if (await done.isVisible()) await done.click();
  }
});

for (const deviceScaleFactor of [1, 2]) {
  test(`charts are sharp at ${deviceScaleFactor} device pixels per CSS pixel`, async () => {
    const stepcast = await shared.open(LLAMA, { deviceScaleFactor });
    for (const panel of ["waterfall", "memory"]) {
      const canvas = (await stepcast.unfold(panel)).locator("canvas");
      await canvas.scrollIntoViewIfNeeded();
      const look = () => canvas.evaluate((element) => {
        const { width, height } = element.getBoundingClientRect();
        const { data } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
        const colours = new Set();
        for (let index = 0; index < data.length; index += 4) {
          if (data[index + 3] === 255) colours.add((data[index] << 16) | (data[index + 1] << 8) | data[index + 2]);
        }
        return { across: element.width / width, down: element.height / height, colours: colours.size };
      });
      await eventually(async () => {
        const { across, down, colours } = await look();
        assert.ok(Math.abs(across - deviceScaleFactor) < 0.02, `${across} across`);
        assert.ok(Math.abs(down - deviceScaleFactor) < 0.02, `${down} down`);
        assert.ok(colours >= 3, `${colours} colours are drawn`);
      });
    }
  });
}

test("the first stop of the keyboard skips to the forecast", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.page.keyboard.press("Tab");
  const focused = stepcast.page.locator(":focus");
  await says(focused, /skip/i);
  assert.ok(await focused.isVisible());
  await stepcast.page.keyboard.press("Enter");
  await stepcast.page.locator("#results:focus").waitFor();
  await stepcast.page.keyboard.press("Tab");
  await stepcast.page.locator("#results :focus").waitFor();
});

test("charts follow the theme", async () => {
  const stepcast = await shared.open(LLAMA, { colorScheme: "light" });
  const panel = await stepcast.unfold("waterfall");
  const pixels = () => panel.locator("canvas").evaluate((canvas) => canvas.toDataURL());
  const light = await pixels();
  await stepcast.page.emulateMedia({ colorScheme: "dark" });
  await stepcast.waitFor("another drawing", async () => (await pixels()) !== light);
});
