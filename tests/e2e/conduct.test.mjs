// How the page behaves towards whoever uses it: what it calls its fields, what it says aloud, what moves, what stays.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, plain, says } from "./support/page.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const tip = (page) => page.locator("#explanation");

test("every field has a label and help, and says what it understood", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.openFields();
  const fields = await stepcast.page.locator("#form .field").evaluateAll((all) =>
    all.map((field) => {
      const control = field.querySelector("input, select");
      const help = document.getElementById(field.querySelector(".help-button").getAttribute("aria-controls"));
      return { label: field.querySelector(`label[for="${control.id}"]`)?.textContent.trim(), help: help.textContent.trim() };
    }),
  );
  assert.ok(fields.length > 60, `${fields.length} fields`);
  for (const { label, help } of fields) assert.ok(label && help.length > 10, `${label}: ${help}`);
  const unit = stepcast.page.locator("#form .field", { has: stepcast.field("nic") }).locator(".unit");
  assert.equal(await unit.textContent(), "Gb/s");
  for (const [key, typed, understood] of [["seq", "8k", "= 8,192 tokens"], ["gb", "1k", "= 1,024 sequences"], ["nic", "50GB/s", "= 400 Gb/s, 50 GB/s"]]) {
    await stepcast.type(key, typed);
    await says(stepcast.page.locator(`#e-${key}`), understood);
  }
});

test("the keyboard goes through the first screen in order, and what has the focus is marked and in sight", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  await stepcast.page.evaluate(() => scrollTo(0, 0));
  let last = -1;
  for (let stop = 0; stop < 40; stop += 1) {
    await stepcast.page.keyboard.press("Tab");
    const seen = await stepcast.page.evaluate(() => {
      const at = document.activeElement;
      const box = at.getBoundingClientRect();
      const [x, y] = [box.left + Math.min(box.width, 20) / 2, box.top + box.height / 2];
      const over = document.elementFromPoint(x, y);
      const { outlineStyle, outlineWidth } = getComputedStyle(at);
      return {
        place: [...document.querySelectorAll("*")].indexOf(at),
        name: at.outerHTML.slice(0, 90),
        marked: outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2,
        // A frame that scrolls is as good as its first line.
        seen: at === over || at.contains(over) || box.height > innerHeight / 2,
      };
    });
    assert.ok(seen.place > last, `stop ${stop} goes on: ${seen.name}`);
    assert.ok(seen.marked, `stop ${stop} is marked: ${seen.name}`);
    assert.ok(seen.seen, `stop ${stop} is in sight: ${seen.name}`);
    last = seen.place;
  }
});

test("text of twice the size, and wider spaced, moves the page no further sideways", async () => {
  const stepcast = await shared.open(LLAMA, { viewport: { width: 1280, height: 900 } });
  await stepcast.ranked();
  const tooWide = () => stepcast.page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
  await stepcast.page.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
  await stepcast.waitFor("twice the size fits", async () => (await tooWide()) <= 0);
  await stepcast.page.evaluate(() => {
    document.documentElement.style.removeProperty("font-size");
    for (const [name, value] of [["line-height", "1.5"], ["letter-spacing", "0.12em"], ["word-spacing", "0.16em"]]) {
      for (const element of document.querySelectorAll("body *")) element.style.setProperty(name, value, "important");
    }
  });
  await stepcast.waitFor("wider spaces fit", async () => (await tooWide()) <= 0);
});

test("nothing moves by itself", async () => {
  const stepcast = await shared.open(LLAMA, { reducedMotion: "no-preference" });
  await stepcast.ranked();
  await stepcast.turn("time");
  await stepcast.openFields();
  assert.equal(await stepcast.page.evaluate(() => document.getAnimations().length), 0);
});

test("a change is announced once, politely, when it has come to rest", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  await stepcast.reveal("gb");
  await stepcast.page.evaluate(() => {
    window.said = [];
    const note = (changes) => {
      for (const { target } of changes) {
        const region = (target.nodeType === Node.TEXT_NODE ? target.parentElement : target).closest('#results > [aria-live="polite"]');
        if (region?.textContent) window.said.push(region.textContent);
      }
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  // In one task: on a slow machine every text would be typed in peace.
  await stepcast.field("gb").evaluate((field, batches) => {
    for (const batch of batches) {
      field.value = batch;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }, ["2k", "2049", "512", "2k"]);
  await stepcast.waitFor("it is said", () => stepcast.page.evaluate(() => window.said.length > 0));
  const said = await stepcast.page.evaluate(() => new Promise((later) => setTimeout(() => later([...new Set(window.said)]), 1500)));
  assert.equal(said.length, 1, said.join(" | "));
  assert.match(said[0], /\d\ss/);
});

test("the table keeps what is in sight of it while another view is looked at", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.tabled();
  const frame = stepcast.page.locator("#ranking .rank-frame");
  await frame.focus();
  for (let press = 0; press < 4; press += 1) await frame.press("PageDown");
  const top = () => frame.evaluate((element) => element.scrollTop);
  await stepcast.waitFor("it is scrolled", async () => (await top()) > 300);
  const active = stepcast.page.locator("#ranking tr.layout.active");
  let seen;
  const sight = async () => [await top(), plain(await active.innerText())];
  await stepcast.waitFor("it comes to rest", async () => {
    const last = seen;
    seen = await sight();
    return String(last) === String(seen);
  });
  await stepcast.turn("memory");
  await stepcast.panelsDrawn();
  await frame.waitFor({ state: "hidden" });
  await stepcast.turn("layouts");
  await eventually(async () => assert.deepEqual(await sight(), seen));
});

test("the bar of a layout on the short list says what it itself takes", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.ranked();
  const cards = stepcast.page.locator("#short-list .card");
  const other = await eventually(async () => {
    const steps = await cards.locator(".card-step strong").allInnerTexts();
    const found = steps.findIndex((step) => step !== steps[0]);
    assert.ok(found > 0, steps.join());
    return found;
  });
  await cards.nth(other).locator("rect.c-backward").hover();
  await tip(stepcast.page).waitFor();
  const drawn = await cards.nth(other).locator("rect.c-backward").getAttribute("data-says");
  await stepcast.waitFor(drawn, async () => plain(await tip(stepcast.page).innerText()).startsWith(plain(drawn)));
  await stepcast.page.locator("#breakdown rect.c-backward").hover();
  await says(tip(stepcast.page), /\d % of the step.*Kernels of the backward passes|Kernels of the backward passes.*\d % of the step/);
});

test("numbers of an embedded view explain themselves", async () => {
  const context = await shared.context({ viewport: { width: 700, height: 520 } });
  const page = await context.newPage();
  for (const [view, number] of [["summary", "#figure-mfu .value"], ["breakdown", ".legend-size >> nth=0"]]) {
    await page.goto(`${shared.url}?embed=1&view=${view}${LLAMA}`);
    await page.locator(number).focus();
    await says(tip(page), /.{40}/);
  }
});

test("the page says what it is to who finds it, and leads on to what there is to read", async () => {
  const stepcast = await shared.open("");
  const head = await stepcast.page.evaluate(() => {
    const of = (selector, attribute) => document.querySelector(selector)?.getAttribute(attribute);
    return {
      lang: document.documentElement.lang,
      described: ['meta[name="description"]', 'meta[property="og:title"]', 'meta[property="og:description"]', 'meta[property="og:image"]', 'meta[name="twitter:card"]'].map((one) => of(one, "content")),
      canonical: of('link[rel="canonical"]', "href"),
      data: JSON.parse(document.querySelector('script[type="application/ld+json"]').textContent),
    };
  });
  assert.equal(head.lang, "en");
  assert.ok(head.described.every((text) => text?.length > 5) && head.canonical, JSON.stringify(head));
  assert.equal(head.data["@type"], "WebApplication");
  assert.equal(head.canonical, shared.url);
  const links = await stepcast.page.locator(".footer a").evaluateAll((all) => all.map((link) => link.href));
  assert.ok(links.length >= 3);
  for (const link of links) assert.equal((await stepcast.page.request.get(link.replace(/\/$/, "/index.html"))).status(), 200, link);
});
