// The second module: loaded when it is wanted, told of every edit, and honest when it does not come.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { Stepcast, VIEWS, says } from "./support/page.mjs";
import { DIST } from "./support/server.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const isPanels = (url) => /\/panels-[0-9a-f]+/.test(url);

test("the second module is fetched when a panel is opened, and once", async () => {
  const context = await shared.context();
  const fetched = [];
  context.on("request", (request) => isPanels(request.url()) && fetched.push(request.url()));
  const stepcast = await Stepcast.open(context, shared.url, LLAMA);
  await stepcast.searched();
  assert.deepEqual(fetched, []);
  await stepcast.unfold("operators");
  await stepcast.unfold("stages");
  assert.equal(fetched.filter((url) => url.endsWith(".wasm")).length, 1);
  assert.equal(fetched.filter((url) => url.endsWith(".js")).length, 1);
  assert.equal(fetched.filter((url) => url.endsWith(".css")).length, 1);
  assert.equal(readdirSync(DIST).filter((name) => name.startsWith("panels")).length, 3);
});

test("what is pressed before the second module has come is there once it has", async () => {
  const context = await shared.browser.newContext();
  let serve;
  const held = new Promise((done) => (serve = done));
  await context.route(/panels-[0-9a-f]+_bg\.wasm/, async (route) => {
    await held;
    await route.continue();
  });
  const stepcast = await Stepcast.open(context, shared.url, LLAMA);
  const { page } = stepcast;
  await page.locator("#part-m").click();
  await page.locator("#job").getByText("Loading").waitFor();
  await page.locator("#part-m").click();
  // A second press closes it.
  await page.locator("#job").getByText("Loading").waitFor({ state: "detached" });
  await page.locator("#all-fields").click();
  await page.locator("#form").getByText("Loading").waitFor();
  serve();
  await page.locator("#find-field:focus").waitFor();
  await stepcast.type("gb", "2048");
  await stepcast.waitFor("the link has it", () => stepcast.fragment().includes(";gb=2048"));
  await context.close();
});

test("the ranked table is drawn once it is in sight", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.searched();
  assert.equal(await stepcast.rows.count(), 0);
  await stepcast.listed();
  await stepcast.rows.nth(10).waitFor();
  await stepcast.turn("memory");
  await stepcast.turn("layouts");
  await stepcast.rows.first().waitFor();
});

test("a panel has an address, and a link leads to it", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  await stepcast.page.locator(".places").getByText("Pipeline stages").click();
  await stepcast.page.locator("#stages-table").waitFor();
  await stepcast.waitFor("it is in the link", () => stepcast.fragment().includes("v.open=stages;v.view=time"));
  const again = await shared.open(stepcast.fragment());
  await again.page.locator("#stages-table").waitFor();
  await again.waitFor("it is in sight", () =>
    again.page.locator("#stages").evaluate((panel) => panel.getBoundingClientRect().top < innerHeight / 2),
  );
  await again.turn("memory");
  await again.waitFor("another view, without it", () => /;v\.view=memory$/.test(again.fragment()));
  // A link from when every panel was a fold of one page.
  const old = await shared.open(`${LLAMA};v.open=messages`);
  await old.page.locator("#messages-table").waitFor();
  await old.page.locator('.tabs [data-view="communication"][aria-current="page"]').waitFor();
});

test("each view has an address of its own, and Back returns from it", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  const address = await stepcast.page.locator('.tabs [data-view="memory"]').getAttribute("href");
  await stepcast.turn("memory");
  await stepcast.page.locator("#memory-chart").waitFor();
  await stepcast.waitFor("its address", () => stepcast.fragment() === address);
  await stepcast.page.goBack();
  await stepcast.listed();
  await stepcast.rows.first().waitFor();
  const other = await shared.open(address);
  await other.page.locator("#memory-chart").waitFor();
  assert.equal(await other.page.locator("#ranking").isVisible(), false);
});

test("every panel is reached by keyboard alone", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  for (const [view, known] of Object.entries(VIEWS)) {
    const tab = stepcast.page.locator(`.tabs [data-view="${view}"]`);
    await tab.focus();
    await stepcast.page.keyboard.press("Enter");
    await stepcast.waitFor(view, async () => (await tab.getAttribute("aria-current")) === "page");
    // The ranked table and what belongs to it stay, out of sight.
    for (const id of known) {
      const panel = stepcast.page.locator(`#${id}`);
      const way = stepcast.page.locator(`.places a[href*="${id};v.view="], #${id} .switch`);
      if (await way.count()) {
        await way.focus();
        await stepcast.page.keyboard.press("Enter");
      }
      await panel.locator(".panel-body > *").first().waitFor();
      assert.equal(await panel.locator(".error").count(), 0, id);
    }
  }
});

test("an open panel follows an edit", async (t) => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  await stepcast.openFields();
  await stepcast.unfold("messages");
  const times = [];
  for (let edit = 0; edit < 10; edit += 1) {
    times.push(
      await stepcast.page.evaluate((text) => {
        const field = document.querySelector('[name="gb"]');
        const total = () => document.querySelector("#messages-table tr.total")?.textContent;
        const before = total();
        const start = performance.now();
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
        // Typed, and done with: what is being typed waits for a pause.
        ["input", "change"].forEach((type) => field.dispatchEvent(new Event(type, { bubbles: true })));
        return new Promise((done) => {
          const look = () => (total() === before ? setTimeout(look) : done(performance.now() - start));
          look();
        });
      }, String(edit % 2 === 0 ? 2048 : 1024)),
    );
  }
  times.sort((one, other) => one - other);
  t.diagnostic(`an open panel follows an edit in ${times[5].toFixed(1)} ms (median of 10, aim 100)`);
});

test("while the form is wrong, panels keep to the last valid scenario and stay of use", async () => {
  const stepcast = await shared.open(LLAMA);
  const panel = await stepcast.unfold("messages");
  const before = await panel.locator("tr.message").allInnerTexts();
  await stepcast.type("tp", "3");
  await stepcast.complaint("tp");
  assert.deepEqual(await panel.locator("tr.message").allInnerTexts(), before);
  await panel.locator("#messages-rank").fill("9");
  await panel.getByText("Rank 9: node 1").waitFor();
  await stepcast.holds({ tp: "3" });
});

test("undo is about the scenario, not about what is open", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.type("gb", "2048");
  await stepcast.unfold("stages");
  await stepcast.page.getByRole("button", { name: "Undo" }).click();
  await stepcast.holds({ gb: "1024" });
  await stepcast.page.locator("#stages-table").waitFor();
});

test("charts of panels follow the theme", async () => {
  const stepcast = await shared.open(LLAMA, { colorScheme: "light" });
  const panel = await stepcast.unfold("scaling");
  const pixels = () => panel.locator("canvas").first().evaluate((canvas) => canvas.toDataURL());
  const light = await pixels();
  await stepcast.page.getByLabel("Theme").selectOption("dark");
  await stepcast.waitFor("another drawing", async () => (await pixels()) !== light);
});

for (const [what, pattern] of [["script", /panels-[0-9a-f]+\.js/], ["program", /panels-[0-9a-f]+_bg\.wasm/]]) {
  test(`a ${what} that cannot be loaded is a sentence, and may be tried again`, async () => {
    const context = await shared.browser.newContext();
    await context.route(pattern, (route) => route.abort());
    const stepcast = await Stepcast.open(context, shared.url, LLAMA);
    await stepcast.turn("memory");
    const panel = stepcast.page.locator("#memory");
    const sentence = panel.getByRole("alert");
    await says(sentence, /could not be loaded/);
    assert.ok(await stepcast.step.isVisible(), "the forecast stands");
    assert.equal(await stepcast.page.locator("#failure").isVisible(), false);
    await context.unroute(pattern);
    await panel.getByRole("button", { name: "Try again" }).click();
    await panel.locator("#memory-chart").waitFor();
    await sentence.waitFor({ state: "detached" });
    await context.close();
  });
}

test("views that are looked at again leave no listeners behind", async (t) => {
  const stepcast = await shared.open(LLAMA);
  const session = await stepcast.page.context().newCDPSession(stepcast.page);
  await session.send("Performance.enable");
  const listeners = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "JSEventListeners").value;
  };
  for (const view of Object.keys(VIEWS)) await stepcast.drawn(view);
  const counts = [];
  for (let round = 0; round < 4; round += 1) {
    for (const view of Object.keys(VIEWS)) {
      await stepcast.turn(view);
      await stepcast.panelsDrawn();
    }
    counts.push(await listeners());
  }
  t.diagnostic(`listeners after each round: ${counts.join(", ")}`);
  assert.ok(counts[3] - counts[1] < 20, counts.join());
});
