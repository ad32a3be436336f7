// The page on paper: two pages of A4, black on white in either theme.

import assert from "node:assert/strict";
import { test } from "node:test";
import { frames, says } from "./support/page.mjs";
import { LLAMA, LLAMA_WRITTEN, suite } from "./support/suite.mjs";

const shared = suite();

// A page of A4 between its margins, CSS pixels.
const PAPER = { width: 718, height: 1047 };

for (const colorScheme of ["light", "dark"]) {
  test(`two pages of A4, black on white, from the ${colorScheme} theme`, async () => {
    const stepcast = await shared.open(LLAMA, { colorScheme });
    await stepcast.ranked();
    const pdf = (await stepcast.page.pdf({ format: "A4", printBackground: true })).toString("latin1");
    const pages = pdf.match(/\/Type\s*\/Page\b/g).length;
    assert.ok(pages <= 2, `${pages} pages`);
    await stepcast.page.emulateMedia({ media: "print" });
    await stepcast.page.setViewportSize(PAPER);
    await says(stepcast.page.locator(".printed"), shared.url + LLAMA_WRITTEN);
    await frames(stepcast.page);
    const cut = await stepcast.page.evaluate((width) => {
      const shown = [...document.querySelectorAll("body *")].filter((element) => element.checkVisibility() && !element.closest(".visually-hidden, svg"));
      const over = shown.filter((element) => element.getBoundingClientRect().right > width + 1 && !element.closest(".rank-frame"));
      const texts = shown.filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== "visible");
      return [...over, ...texts].map((element) => element.outerHTML.slice(0, 120));
    }, PAPER.width);
    assert.deepEqual(cut, [], "nothing is cut off at the edge of the paper");
    const [ink, faint, paper] = await stepcast.page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      return ["--ink", "--ink-2", "--paper"].map((name) => style.getPropertyValue(name).trim());
    });
    const dark = (colour) => Number.parseInt(colour.slice(1, 3), 16) < 0x60;
    assert.ok(dark(ink.length === 4 ? ink.replace(/\w/g, "$&$&") : ink), ink);
    assert.ok(dark(faint.length === 4 ? faint.replace(/\w/g, "$&$&") : faint), faint);
    assert.match(paper, /^#f{3,6}$/);
  });
}
