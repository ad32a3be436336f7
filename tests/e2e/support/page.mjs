// The page, in the words of a reader: fields, figures, ranking.

import assert from "node:assert/strict";
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
    if (!open) await this.page.locator("#all-fields").click();
  }

  // Has the job in sight, where it has no place of its own.
  async openJob() {
    if (!(await this.page.locator("#job").isVisible())) await this.page.locator("#job-line").click();
    await this.page.locator("#all-fields").waitFor();
  }

  // Closes it there.
  async closeJob() {
    const done = this.page.locator("#job-done");
    if (await done.isVisible()) await done.click();
  }

  // What a field holds.
  async value(key) {
    await this.drawForm();
    return this.field(key).inputValue();
  }

  // Whether a switch is on.
  async checked(key) {
    await this.drawForm();
    return this.field(key).isChecked();
  }

  // Whether the layout is the page's choice.
  async isPlanned() {
    return /^(Recommended layout|Layout nearest to fitting)/.test(await this.page.locator("#plan").innerText());
  }

  // Has all fields in sight.
  async openFields() {
    await this.openJob();
    if (!(await this.page.locator("#form").isVisible())) await this.page.locator("#all-fields").click();
    await this.page.locator("#find-field").waitFor();
  }

  // Opens the choices of a setting.
  async openPart(key) {
    await this.openJob();
    if (await this.page.locator("#form").isVisible()) await this.page.locator("#all-fields").click();
    await this.page.locator(`#part-${key}`).click();
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
    const field = this.field(key);
    await this.waitFor(`${key} is marked`, async () => (await field.getAttribute("aria-invalid")) === "true");
    const ids = (await field.getAttribute("aria-describedby")).split(" ");
    const sentences = await Promise.all(ids.map((id) => this.page.locator(`#${id}`).innerText()));
    assert.equal(await field.isVisible(), true, `${key} is in sight`);
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
  async waitFor(what, condition) {
    const end = Date.now() + PATIENCE_MS;
    while (!(await condition())) {
      assert.ok(Date.now() < end, `waited for: ${what}`);
      await this.page.waitForTimeout(20);
    }
  }

  // The columns of a row of the ranking, by heading.
  async layout(place) {
    const cells = (row) => row.locator("th, td").allInnerTexts();
    const headings = await cells(this.page.locator("#ranking thead tr"));
    const texts = await cells(this.rows.nth(place));
    const plain = (text) => text.replace(/[↑↓↕]/g, "").replace(/\s+/g, " ").trim();
    return Object.fromEntries(headings.map((heading, index) => [plain(heading), plain(texts[index] ?? "")]));
  }
}
