// One view alone, in somebody else's page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LLAMA, suite } from "./support/suite.mjs";
import { Stepcast, eventually, frames, plain, says } from "./support/page.mjs";
import { serve } from "./support/server.mjs";

const VIEWS = { summary: "#summary", breakdown: "#breakdown", ranking: "#ranking" };
const hosts = {};
const shared = suite({ html: hosts });

for (const [view, selector] of Object.entries(VIEWS)) {
  test(`the ${view} alone`, async () => {
    const context = await shared.context({ viewport: { width: 700, height: 520 } });
    const page = await context.newPage();
    await page.goto(`${shared.url}?embed=1&view=${view}${LLAMA}`);
    await page.locator(selector).waitFor();
    assert.equal(await page.locator("#form").count(), 0, "no form");
    for (const other of Object.values(VIEWS).filter((other) => other !== selector)) {
      assert.equal(await page.locator(other).count(), 0, `no ${other}`);
    }
    const full = page.locator('a[href*="#2;"]').first();
    assert.ok(await full.isVisible(), "a link to the whole page");
    assert.match(await full.getAttribute("href"), /m=llama3-70b/);
  });
}

// What each view shows once it is there.
const ALL_VIEWS = {
  summary: "#figure-step .value",
  breakdown: "#breakdown",
  ranking: "#ranking tr.layout",
  memory: "#memory canvas, #memory svg, #memory table",
  matrix: "#matrix canvas",
  links: "#links canvas",
  timeline: "#timeline canvas",
  scaling: "#scaling canvas, #scaling table",
  operator: "#operator .explained",
  compare: "#jobs-table",
  accuracy: "#accuracy table",
};

test("every view is usable from 320 to 1,200 pixels, names its job, and nothing scrolls in it", async () => {
  const context = await shared.context({ viewport: { width: 320, height: 600 } });
  const page = await context.newPage();
  const kept = "v.jobs=m:llama3-8b/g:dgx-h100/n:64~m:llama3-8b/g:dgx-h200/n:64";
  for (const [view, there] of Object.entries(ALL_VIEWS)) {
    await page.setViewportSize({ width: 320, height: 600 });
    await page.goto(`${shared.url}?embed=1&view=${view}&edit=n,tp#1;m=llama3-8b;g=dgx-h100;n=64;gb=256;${kept}`);
    await page.locator(there).first().waitFor();
    await says(page.locator(".embed-job"), /Llama-3 8B on 64 GPUs/);
    assert.equal(await page.locator('.embed-edit [name="n"]').count(), 1, view);
    for (const width of [320, 1200]) {
      await page.setViewportSize({ width, height: 600 });
      await frames(page);
      const tooWide = () => page.evaluate(() => {
        const own = (element) => `${element.tagName}.${element.className || element.id}`;
        // The ranked table and the timeline are windows on what is larger than any frame.
        const frames = [...document.querySelectorAll(".embed *")].filter((element) => !element.closest(".table-place, .rank-frame"));
        const scrolls = frames.filter((element) => /auto|scroll/.test(getComputedStyle(element).overflow) && element.tagName !== "TEXTAREA"
          && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1));
        return [document.documentElement.scrollWidth - innerWidth, ...scrolls.map(own)];
      });
      await eventually(async () => assert.equal(String(await tooWide()), "0", `${view} at ${width} px`));
    }
  }
});

test("the copied snippet shows the same figures in another page", async () => {
  const stepcast = await shared.open(LLAMA);
  await stepcast.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await stepcast.unfold("export");
  await stepcast.page.locator("#embed-view").selectOption("summary");
  await stepcast.page.locator("#copy-embed").click();
  await stepcast.page.getByText("Copied.").waitFor();
  const snippet = await stepcast.page.evaluate(() => navigator.clipboard.readText());
  hosts["/article.html"] = `<!doctype html><html lang="en"><title>An article</title><link rel="icon" href="data:,">${snippet}</html>`;

  const page = await stepcast.page.context().newPage();
  await page.goto(`${shared.origin}/article.html`);
  const embedded = new Stepcast(page.frameLocator("iframe"));
  await says(embedded.step, plain(await stepcast.step.innerText()));
});

// A page of another origin than ours: the same server under another name.
const article = (body) => `<!doctype html><html lang="en"><title>An article</title><link rel="icon" href="data:,">
  <script src="${shared.url}embed.js" async></script>${body}</html>`;

async function read(body, t, options) {
  hosts["/elsewhere.html"] = article(body);
  const context = await shared.browser.newContext({ viewport: { width: 900, height: 1200 }, serviceWorkers: "block", ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.heard = [];
    for (const type of ["ready", "resize", "change", "refused"]) {
      addEventListener(`stepcast-${type}`, (event) => window.heard.push(event.detail));
    }
  });
  await page.goto(`${shared.origin.replace("localhost", "127.0.0.1")}/elsewhere.html`);
  return page;
}

const heard = (page, type) => page.waitForFunction((type) => window.heard.findLast((data) => data.type === type), type).then((found) => found.jsonValue());

test("an element in a page of another origin is as high as its content and follows what it is told", async (t) => {
  const page = await read(`<stepcast-embed link="${LLAMA}" view="breakdown" edit="n,tp" caption="A job"></stepcast-embed>`, t);
  const { height } = await heard(page, "ready");
  const frame = page.frameLocator("stepcast-embed iframe");
  await frame.locator("#breakdown").waitFor();
  const iframe = page.locator("stepcast-embed iframe");
  assert.ok(height > 100 && height < 900, String(height));
  await eventually(async () => {
    const inside = await frame.locator("html").evaluate((root) => [root.scrollHeight, innerHeight]);
    assert.ok(inside[0] <= inside[1] + 1, `${inside}: nothing to scroll`);
  });
  assert.equal(await page.locator("stepcast-embed figcaption").innerText(), "A job");
  assert.equal(await iframe.getAttribute("title"), "A job");

  await page.locator("stepcast-embed").evaluate((element) => element.set({ n: 1024 }));
  assert.match((await heard(page, "change")).link, /;n=1024(;|$)/);
  await eventually(async () => assert.equal(await frame.locator('[name="n"]').inputValue(), "1024"));
  await frame.locator('[name="tp"]').fill("4");
  await frame.locator('[name="tp"]').press("Enter");
  await page.waitForFunction(() => window.heard.findLast((data) => data.type === "change")?.link.includes(";tp=4"));
  await page.locator("stepcast-embed").evaluate((element) => element.set("#1;m=llama3-8b;g=dgx-h100;n=64"));
  await page.waitForFunction(() => window.heard.findLast((data) => data.type === "change")?.link.includes("m=llama3-8b"));

  // Narrower, its words take more lines.
  await page.setViewportSize({ width: 340, height: 900 });
  assert.ok((await heard(page, "resize")).height > 0);
});

test("an element refuses what is no message of its own", async (t) => {
  const page = await read(`<stepcast-embed link="${LLAMA}" view="summary"></stepcast-embed>`, t);
  await heard(page, "ready");
  const frame = page.frameLocator("stepcast-embed iframe");
  const before = await frame.locator("#figure-step .value").innerText();
  const bad = [
    { stepcast: 1, type: "set", link: "javascript:alert(1)" },
    { stepcast: 1, type: "set", link: "https://example.org/" },
    { stepcast: 1, type: "set", fields: { n: {} } },
    { stepcast: 1, type: "set", fields: { "n;m": "8" } },
    { stepcast: 1, type: "set", fields: { n: 8 }, more: 1 },
    { stepcast: 2, type: "set", fields: { n: 8 } },
    { stepcast: 1, type: "eval", fields: { n: 8 } },
    "set",
    null,
  ];
  await page.locator("stepcast-embed").evaluate((element, messages) => {
    const { contentWindow } = element.shadowRoot.querySelector("iframe");
    messages.forEach((message) => contentWindow.postMessage(message, "*"));
  }, bad);
  await page.waitForFunction((count) => window.heard.filter((data) => data.type === "refused").length === count, bad.length);
  // A window that is not the page around it is not listened to, and neither are others by the element.
  await page.evaluate(() => {
    const other = document.body.appendChild(document.createElement("iframe"));
    const script = other.contentDocument.createElement("script");
    script.textContent = `parent.document.querySelector("stepcast-embed").shadowRoot.querySelector("iframe").contentWindow
      .postMessage({ stepcast: 1, type: "set", fields: { n: 8 } }, "*");
      parent.postMessage({ stepcast: 1, type: "ready", height: 9999 }, "*");`;
    other.contentDocument.body.append(script);
  });
  await page.waitForTimeout(300);
  assert.equal(await frame.locator("#figure-step .value").innerText(), before);
  assert.ok((await page.locator("stepcast-embed iframe").boundingBox()).height < 2000);
  assert.equal(await page.evaluate(() => window.heard.filter((data) => data.type === "change").length), 0);
});

test("it takes the theme of the page around it", async (t) => {
  const page = await read(`<style>body { background: #111; color: #eee }</style><stepcast-embed link="${LLAMA}"></stepcast-embed>`, t);
  await heard(page, "ready");
  const root = page.frameLocator("stepcast-embed iframe").locator("html");
  const themed = (theme) => eventually(async () => assert.equal(await root.getAttribute("data-theme"), theme));
  await themed("dark");
  await page.evaluate(() => (document.body.style.color = "#111"));
  await page.waitForFunction(() => window.heard.filter((data) => data.type === "ready").length === 2);
  await themed("light");
});

test("ten on one page share one download", async (t) => {
  const server = await serve({ html: hosts, caching: () => "max-age=600" });
  t.after(() => server.close());
  const elements = Array.from({ length: 10 }, (_, at) => `<stepcast-embed link="#1;m=llama3-8b;g=dgx-h100;n=${8 << at % 5}" view="breakdown" style="inline-size: 400px"></stepcast-embed>`);
  hosts["/ten.html"] = `<!doctype html><html lang="en"><title>Ten</title><link rel="icon" href="data:,"><style>body { display: flex; flex-wrap: wrap }</style>
    <script src="${server.url}embed.js" async></script>${elements.join("")}</html>`;
  const context = await shared.browser.newContext({ viewport: { width: 1300, height: 2400 }, serviceWorkers: "block" });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.ready = 0;
    addEventListener("stepcast-ready", () => (window.ready += 1));
  });
  const start = Date.now();
  await page.goto(`${server.origin.replace("localhost", "127.0.0.1")}/ten.html`);
  await page.waitForFunction(() => window.ready === 10);
  t.diagnostic(`ten embeds are drawn after ${Date.now() - start} ms`);
  const programs = [...server.served].filter(([path]) => path.endsWith(".wasm"));
  assert.deepEqual(programs.map(([, count]) => count), [1], "the program is downloaded once");
});
