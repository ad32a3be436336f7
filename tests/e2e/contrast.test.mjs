// Contrast, proved by the colours that are computed and drawn: of every text on the page, of every text on a canvas,
// and of the colours of charts. axe leaves texts over grounds that it cannot see through as incomplete.

import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { frames } from "./support/page.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

// Least contrast of text, of large text (24 px, or 18.66 px and bold), and of graphics (WCAG 1.4.3, 1.4.11).
const TEXT = 4.5;
const LARGE = 3;
const GRAPHICS = 3;

// What runs in the page: colours of any notation as numbers, layered, and their contrast.
function tools() {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (top, below) => [0, 1, 2].map((index) => top[index] * top[3] + below[index] * (1 - top[3])).concat(1);
  const luminance = (colour) => {
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(colour[0]) + 0.7152 * part(colour[1]) + 0.0722 * part(colour[2]);
  };
  const contrast = (one, other) => {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  // Everything that may lie behind an element: the colours of its ancestors, and each stop of their gradients.
  const grounds = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor, backgroundImage } = getComputedStyle(at);
      if (backgroundImage.includes("url(")) throw new Error(`a picture behind ${element.outerHTML.slice(0, 80)}`);
      const stops = backgroundImage.match(/(rgba?|color|oklab|oklch|hsl)\([^()]*\)/g) ?? [];
      if (stops.length > 0) layers.push(stops.map(rgba));
      layers.push([rgba(backgroundColor)]);
      if (layers.at(-1)[0][3] === 1) break;
    }
    return layers.reduceRight(
      (below, layer) => layer.flatMap((top) => below.map((one) => over(top, one))),
      [[255, 255, 255, 1]],
    );
  };
  const least = (colour, behind) => Math.min(...behind.map((one) => contrast(over(rgba(colour), one), one)));
  return { rgba, over, contrast, grounds, least };
}

// Notes, of every text drawn on a canvas, its colour and the pixels that it is drawn over. `drawnTexts` are those of the theme of now.
function watchCanvases() {
  const drawn = { light: [], dark: [] };
  const theme = () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  Object.defineProperty(window, "drawnTexts", { get: () => drawn[theme()] });
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
    if (this.canvas.isConnected && text.trim()) {
      const { width } = this.measureText(text);
      const left = x - { start: 0, left: 0, center: width / 2, end: width, right: width }[this.textAlign];
      const points = [0.1, 0.5, 0.9].map((share) => [left + share * width, y]);
      const pixels = points.map((point) => [...this.getImageData(Math.round(point[0]), Math.round(point[1]), 1, 1).data]);
      window.drawnTexts.push({ text, colour: this.fillStyle, pixels, canvas: this.canvas });
    }
    return fillText.call(this, text, x, y, ...more);
  };
}

async function opened(options, view = "layouts", open = "") {
  const context = await shared.context(options);
  await context.addInitScript(watchCanvases);
  const page = await context.newPage();
  await page.goto(`${shared.url}${LLAMA};v.view=${view};v.open=${open}`);
  await page.locator("#figure-step .value").waitFor();
  // The page's policy forbids scripts that are not its own; the browser's tools are exempt.
  await page.evaluate(`window.tools = (${tools})()`);
  return page;
}

// Views with what is unfolded in each.
const VIEWS = Object.entries({
  layouts: "jobs,saved,export",
  time: "waterfall,operators,timeline",
  memory: "memory",
  scale: "scaling",
  trust: "sure,accuracy",
});

const drawn = (page) =>
  page.waitForFunction(() => [...document.querySelectorAll("[data-panel]")].every((place) => place.firstElementChild?.childElementCount));

// How many texts stand on the page, and which of them contrast too little.
const texts = (page) =>
  page.evaluate(([text, large]) => {
    const { rgba, grounds, least } = window.tools;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const low = [];
    let texts = 0;
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const element = node.parentElement;
      if (!node.data.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      if (element.closest("script, style, option, .visually-hidden, :disabled, [aria-disabled=true]")) continue;
      const style = getComputedStyle(element);
      const size = Number.parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      // A text of a drawing stands on the shape before it, or on what the drawing stands on.
      const drawing = element.closest("svg");
      const shape = drawing && [...element.parentElement.querySelectorAll(":scope > rect")].findLast((rect) => {
        const [own, other] = [element, rect].map((one) => one.getBoundingClientRect());
        const [x, y] = [own.left + own.width / 2, own.top + own.height / 2];
        return other.left <= x && x <= other.right && other.top <= y && y <= other.bottom;
      });
      const ratio = shape
        ? least(style.fill, [rgba(getComputedStyle(shape).fill)])
        : least(drawing ? style.fill : style.color, grounds(drawing ?? element));
      texts += 1;
      if (ratio < (isLarge ? large : text)) low.push(`${node.data.trim().slice(0, 40)}: ${ratio}`);
    }
    return [texts, low];
  }, [TEXT, LARGE]);

// The same of the texts that were drawn on canvases.
const drawnTexts = (page) =>
  page.evaluate((text) => {
    const { over, grounds, least } = window.tools;
    const low = new Set();
    for (const { text: words, colour, pixels, canvas } of window.drawnTexts) {
      const papers = grounds(canvas);
      const behind = pixels.flatMap(([red, green, blue, alpha]) => papers.map((paper) => over([red, green, blue, alpha / 255], paper)));
      const ratio = least(colour, behind);
      if (ratio < text) low.add(`${words}: ${ratio.toFixed(2)} of ${colour}`);
    }
    return [...low];
  }, TEXT);

// Colours of charts that contrast too little with the paper.
const faint = (page) =>
  page.evaluate((graphics) => {
    const { rgba, contrast } = window.tools;
    const style = getComputedStyle(document.documentElement);
    const names = ["forward", "backward", "recompute", "tensor", "context", "expert", "pipeline", "data", "bubble",
      "optimizer", "host", "weights", "gradients", "states", "activations", "logits", "workspace"];
    const paper = rgba(style.getPropertyValue("--paper"));
    return names
      .map((name) => [name, contrast(rgba(style.getPropertyValue(`--c-${name}`)), paper)])
      .filter(([, ratio]) => ratio < graphics);
  }, GRAPHICS);

for (const [view, open] of VIEWS) {
  test(`every text of the view ${view}, on the page and on canvases, contrasts with what it stands on`, async () => {
    const page = await opened({ colorScheme: "light" }, view, open);
    await drawn(page);
    const onCanvases = await page.locator("canvas").count();
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      if (onCanvases) await page.waitForFunction(() => window.drawnTexts.length > 5);
      await frames(page);
      const [onPage, low] = await texts(page);
      assert.ok(onPage > 50, `${onPage} texts`);
      assert.deepEqual(low, [], colorScheme);
      assert.deepEqual(await drawnTexts(page), [], `${colorScheme}, on canvases`);
      assert.deepEqual(await faint(page), [], colorScheme);
    }
    // What axe cannot decide about contrast is only what is proved here.
    await page.evaluate(axe.source);
    const { violations, incomplete } = await page.evaluate(() =>
      window.axe.run(document, { runOnly: { type: "rule", values: ["color-contrast"] } }));
    assert.deepEqual(violations, []);
    const reasons = new Set(incomplete.flatMap(({ nodes }) => nodes.flatMap((node) => node.any.map((check) => check.data?.messageKey))));
    // A picture behind a text would be neither axe's nor the walk's to decide.
    assert.ok(!reasons.has("bgImage"), [...reasons].join(", "));
  });
}

test("forced colours keep the bars of charts and the mark of the focus", async () => {
  const page = await opened({ forcedColors: "active" }, "compare", "jobs");
  await page.locator("#jobs").getByRole("button", { name: "Add to comparison: this job" }).click();
  const bars = page.locator(".aligned").first().locator("rect");
  await bars.first().waitFor();
  const fills = await bars.evaluateAll((all) => all.map((rect) => getComputedStyle(rect).fill));
  assert.ok(new Set(fills).size >= 4, `${[...new Set(fills)]}`);
  // A ranking that ends draws the figures anew, and what explains one closes with it.
  await page.locator('#ranking .search[data-status="done"]').waitFor({ state: "attached" });
  const number = page.locator("[data-explain]").first();
  await number.focus();
  await page.locator("#explanation").waitFor();
  const border = await page.locator("#explanation").evaluate((element) => getComputedStyle(element).borderTopWidth);
  assert.equal(border, "1px", "the window has an edge where shadows and colours are gone");
});
