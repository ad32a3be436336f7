// The page, in the words of a reader: fields, figures, ranking.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { PATIENCE_MS } from "./browser.mjs";

// Views of the results, and the panels in each.
export const VIEWS = {
  time: ["timeline", "operators", "operator", "roofline", "waterfall", "stages"],
  memory: ["memory"],
  communication: ["matrix", "machine", "messages", "links", "platforms"],
  layouts: ["columns", "planning", "export"],
  compare: ["jobs", "saved"],
  scale: ["scaling"],
  trust: ["sure", "accuracy", "own-runs", "learned", "own"],
  research: ["sizes", "closed-form", "data-parallel", "experts"],
};

// Panels that are shown above the ranked table on request, and those that are drawn when they are asked for.
const SWITCHED = ["columns"];

// Time between two looks, milliseconds.
const LOOK_MS = 20;

// Repeats assertions until they hold, for what is drawn a moment after it was asked for. Fails as they did last.
export async function eventually(assertions) {
  for (const end = Date.now() + PATIENCE_MS; ; await setTimeout(LOOK_MS)) {
    try {
      return await assertions();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

// Waits until what was asked for before is drawn, charts included, which are a frame later than their places.
export const frames = (page) => page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));

export const plain = (text) => text.replace(/\s+/g, " ").trim();

// Asserts what an element says once it is drawn: all of it, or a pattern.
export const says = (element, expected) =>
  eventually(async () => {
    const text = plain(await element.innerText());
    if (expected instanceof RegExp) assert.match(text, expected);
    else assert.equal(text, expected);
  });

// The rows of a table, as texts, all of one moment.
export async function rows(table) {
  const texts = await table.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText)));
  return texts.map((row) => row.map(plain));
}

// What a click has the browser save: its name, and its bytes.
export async function downloaded(button) {
  const [download] = await Promise.all([button.page().waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

export class Stepcast {
  constructor(page) {
    this.page = page;
    this.step = page.locator("#figure-step .value");
    this.search = page.locator("#ranking .search");
    this.notice = page.locator(".notice");
    this.rows = page.locator("#ranking tr.layout");
    this.current = page.locator("#ranking tr.layout.current");
  }

  // Opens the page at a fragment and waits for its first forecast.
  static async open(context, url, fragment = "", query = "") {
    const stepcast = new Stepcast(await context.newPage());
    await stepcast.page.goto(url + query + fragment);
    await stepcast.step.waitFor();
    return stepcast;
  }

  // A field on the form, which is there once the drawer was open.
  field(key) {
    return this.page.locator(`[name="${key}"]`);
  }

  // Has the form drawn, and leaves the pane as it is.
  async drawForm() {
    if (await this.page.locator("#find-field").count()) return;
    const open = await this.page.locator("#form").isVisible();
    await this.openFields();
    if (!open) await this.closeFields();
  }

  // Has the job in sight, where it has no place of its own.
  async openJob() {
    if (!(await this.page.locator("#job").isVisible())) await this.page.locator("#job-line").click();
    await this.page.locator("#all-fields").waitFor();
  }

  // What a field holds.
  async value(key) {
    await this.drawForm();
    return this.field(key).inputValue();
  }

  // Asserts what fields hold, by key.
  async holds(values) {
    await this.drawForm();
    await eventually(async () => {
      for (const [key, text] of Object.entries(values)) assert.equal(await this.field(key).inputValue(), text, key);
    });
  }

  // Asserts that the layout is the page's choice, or that it is not.
  async isPlanned(planned = true) {
    const plan = this.page.locator("#plan");
    await eventually(async () => assert.equal(/^(Recommended layout|Layout closest to fitting)/.test(await plan.innerText()), planned));
  }

  // Has all fields in sight.
  async openFields() {
    await this.openJob();
    if (!(await this.page.locator("#form").isVisible())) await this.page.locator("#all-fields").click();
    await this.page.locator("#find-field").waitFor();
  }

  // Has the settings that decide in sight.
  async closeFields() {
    await this.openJob();
    const form = this.page.locator("#form");
    if (await form.isVisible()) await this.page.locator("#all-fields").click();
    await form.waitFor({ state: "hidden" });
  }

  // Opens the choices of a setting.
  async openPart(key) {
    await this.closeFields();
    await this.page.locator(`#part-${key}`).click();
    await this.page.locator(`#part-${key}[aria-expanded="true"]`).waitFor();
    await this.page.locator("#picker").waitFor();
  }

  // Shows all fields, with the section open that holds one.
  async reveal(key) {
    await this.openFields();
    const fold = this.page.locator("details.fold", { has: this.field(key) });
    if ((await fold.count()) && !(await fold.evaluate((element) => element.open))) {
      await fold.locator("summary").click();
    }
    return this.field(key);
  }

  // Types, and is done with it, as who goes on to another field.
  async type(key, text) {
    const field = await this.reveal(key);
    await field.fill(text);
    await field.dispatchEvent("change");
  }

  async choose(key, value) {
    await (await this.reveal(key)).selectOption(value);
  }

  // The sentence at a field that says what is wrong with it.
  async complaint(key) {
    const field = this.page.locator(`[name="${key}"][aria-invalid="true"]`);
    await field.waitFor();
    const ids = (await field.getAttribute("aria-describedby")).split(" ");
    const sentences = await Promise.all(ids.map((id) => this.page.locator(`#${id}`).innerText()));
    return sentences.join(" ");
  }

  fragment() {
    return new URL(this.page.url()).hash;
  }

  // Everything the headline says.
  figures() {
    return this.page.locator("#summary .figures").innerText();
  }

  // Waits until the search has come to an end and returns how it ended.
  async searched() {
    const ended = '#ranking .search:not([data-status="running"])';
    await this.page.locator(ended).waitFor({ state: "attached" });
    return this.search.getAttribute("data-status");
  }

  // Brings the ranked table into sight: the second module, which is loaded then, draws it.
  async listed() {
    await this.turn("layouts");
    await this.page.locator("#ranking").scrollIntoViewIfNeeded();
    await this.page.locator("#ranking .rank-frame").waitFor();
  }

  // Waits until the search has come to an end, and the table is drawn where its view is shown; how the search ended.
  async ranked() {
    const status = await this.searched();
    if (await this.page.locator("#ranking").isVisible()) await this.listed();
    return status;
  }

  // The same with the table in sight.
  async tabled() {
    const status = await this.searched();
    await this.listed();
    return status;
  }

  // Turns to a view of the results.
  async turn(view) {
    const tab = this.page.locator(`.tabs [data-view="${view}"]`);
    if ((await tab.getAttribute("aria-current")) !== "page") await tab.click();
    await this.waitFor(`the view ${view}`, async () => (await tab.getAttribute("aria-current")) === "page");
  }

  // Number of compared jobs, as the way to the comparison says it.
  async compared() {
    const text = await this.page.locator('.tabs [data-view="compare"]').innerText();
    return Number(text.match(/\d+/)?.[0] ?? 0);
  }

  // Turns to the view of a panel that the second module draws, brings it into sight, and waits until it is there. The
  // search comes to its end first: what moves under a press is not clicked.
  async unfold(id) {
    await this.searched();
    await this.turn(Object.keys(VIEWS).find((view) => VIEWS[view].includes(id)));
    const panel = this.page.locator(`#${id}`);
    if (SWITCHED.includes(id)) {
      await this.listed();
      const press = panel.locator(".switch");
      if ((await press.getAttribute("aria-expanded")) !== "true") await press.click();
    } else {
      await panel.evaluate((element) => element.scrollIntoView());
      const ask = panel.getByRole("button", { name: /^(Zoom and inspect|Analyze)$/ });
      if (await ask.count()) await ask.click();
    }
    await panel.locator(".panel-body > *").first().waitFor();
    return panel;
  }

  // Turns to a view and has every panel of it drawn.
  async drawn(view) {
    for (const id of VIEWS[view]) await this.unfold(id);
    await this.panelsDrawn();
  }

  // Waits until every panel that was in sight is drawn.
  panelsDrawn() {
    return this.waitFor("open panels are drawn", async () => {
      const slots = this.page.locator("[data-panel]");
      return (await slots.count()) === (await slots.filter({ has: this.page.locator(":is(.panel-body, .ranking-body) > :not(.take-away)") }).count());
    });
  }

  // Waits for a condition on the page; a message that names it when it does not come true.
  waitFor(what, condition) {
    return eventually(async () => assert.ok(await condition(), `waited for: ${what}`));
  }

  // The columns of the first rows of the ranking, by heading.
  async layouts(count) {
    const texts = await this.page.locator("#ranking table.rank").evaluate((table, count) => {
      const drawn = [...table.querySelectorAll("tr.layout")].slice(0, count);
      return [table.tHead.rows[0], ...drawn].map((row) => [...row.cells].map((cell) => cell.innerText));
    }, count);
    const [headings, ...layouts] = texts.map((row) => row.map((text) => plain(text.replace(/[↑↓↕]/g, ""))));
    return layouts.map((layout) => Object.fromEntries(headings.map((heading, index) => [heading, layout[index] ?? ""])));
  }

  // Those of one row.
  async layout(place) {
    await this.rows.nth(place).waitFor();
    return (await this.layouts(place + 1))[place];
  }
}
