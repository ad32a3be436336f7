// The page without a network, and when it is published anew.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { PATIENCE_MS, assertClean, launch, newContext } from "./support/browser.mjs";
import { Stepcast, eventually } from "./support/page.mjs";
import { DIST, serve } from "./support/server.mjs";
import { LLAMA } from "./support/suite.mjs";

const HASHED = /-([0-9a-f]{10,16})(?=(?:_bg)?\.[a-z]+$)/;
const SECOND = "The second build.";

let browser, second;
before(async () => {
  browser = await launch();
  second = published();
});
after(async () => {
  await browser.close();
  rmSync(second, { recursive: true });
});

// The page published anew: every file that is named by its content has another name, and the document another text.
function published() {
  const folder = mkdtempSync(join(tmpdir(), "stepcast-"));
  cpSync(DIST, folder, { recursive: true });
  const names = readdirSync(folder).filter((name) => HASHED.test(name));
  const hashes = [...new Set(names.map((name) => name.match(HASHED)[1]))];
  const other = (text) => hashes.reduce((changed, hash) => changed.replaceAll(hash, [...hash].reverse().join("")), text);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!statSync(path).isFile()) continue;
    if (/\.(html|js)$/.test(name)) writeFileSync(path, other(readFileSync(path, "utf8")));
    if (other(name) !== name) renameSync(path, join(folder, other(name)));
  }
  const index = join(folder, "index.html");
  writeFileSync(index, readFileSync(index, "utf8").replace(/Step time, breakdown, memory and ranked parallel layouts for[^"]*/, SECOND));
  const worker = join(folder, "sw.js");
  const digest = (name) => createHash("sha256").update(readFileSync(join(folder, name))).digest("hex").slice(0, 32);
  const digests = (files) => JSON.stringify(Object.fromEntries(Object.keys(JSON.parse(files)).map((name) => [name, digest(name)])));
  const text = readFileSync(worker, "utf8").replace(/HASH ?= ?"/, '$&2');
  writeFileSync(worker, text.replace(/(FILES ?= ?)({.*?})/, (_, begin, files) => begin + digests(files)));
  return folder;
}

// Serves a folder that can be changed, to a context in which the page may be kept.
async function visit(options, work) {
  let folder = DIST;
  const server = await serve({ ...options, root: () => folder });
  const { context, problems } = await newContext(browser, server.origin, { serviceWorkers: "allow" });
  try {
    await work({ server, context, problems, redeploy: () => (folder = second) });
  } finally {
    await context.close();
    await server.close();
  }
}

// The address below which the page is kept, once it is.
const kept = (page) =>
  page.evaluate(
    (patience) =>
      Promise.race([
        navigator.serviceWorker.ready.then(({ scope }) => scope),
        new Promise((_, give) => setTimeout(give, patience, new Error("the page is not kept"))),
      ]),
    PATIENCE_MS,
  );
const description = (page) => page.locator('meta[name="description"]').getAttribute("content");

test("after one visit the page works without a network, panels and ranking included", () =>
  visit({}, async ({ server, context, problems }) => {
    const stepcast = await Stepcast.open(context, server.url, LLAMA);
    assert.equal(await kept(stepcast.page), server.url, "kept for this sub-path alone");
    const figures = await stepcast.figures();
    assertClean(problems);
    await server.close();
    await stepcast.page.reload();
    await stepcast.step.waitFor();
    await eventually(async () => assert.equal(await stepcast.figures(), figures));
    assert.equal(await stepcast.ranked(), "done");
    await stepcast.unfold("operators");
    const another = await Stepcast.open(context, server.url, "#1;m=llama3-8b;g=dgx-h100;n=64", "?theme=dark");
    assert.equal(await another.ranked(), "done");
  }));

test("published anew under an open page, that page goes on, and the next visit is of the new build alone", () =>
  visit({}, async ({ server, context, problems, redeploy }) => {
    const stepcast = await Stepcast.open(context, server.url, LLAMA);
    await kept(stepcast.page);
    redeploy();
    await stepcast.unfold("operators");
    assert.notEqual(await description(stepcast.page), SECOND);

    const asked = [];
    stepcast.page.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").pop()));
    await stepcast.page.reload();
    await stepcast.step.waitFor();
    assert.equal(await description(stepcast.page), SECOND);
    assert.equal(await stepcast.ranked(), "done");
    // The browser asks for the icon of the page that it leaves, too.
    const old = asked.filter((name) => HASHED.test(name) && !name.startsWith("icon-") && !readdirSync(second).includes(name));
    assert.deepEqual(old, [], "no file of the first build");
    assertClean(problems);
  }));

test("an old document in the browser's cache recovers by itself when its files are gone", () =>
  visit(
    { caching: (path) => (path.endsWith("/") ? "max-age=3600" : "no-store") },
    async ({ server, context, redeploy }) => {
      // What is kept for offline use would hide it.
      await context.route("**/sw.js", (route) => route.abort());
      const first = await Stepcast.open(context, server.url, LLAMA);
      await first.page.close();
      redeploy();
      const page = await context.newPage();
      await page.goto(server.url + LLAMA);
      const stepcast = new Stepcast(page);
      await stepcast.step.waitFor();
      assert.equal(await description(page), SECOND);
      assert.equal(await stepcast.ranked(), "done");
      assert.match(page.url(), /m=llama3-70b/, "the scenario is still in the address");
    },
  ));

// What a captive portal, or a host of single-page applications that lacks a file, answers with status 200.
const INSTEAD = "<!doctype html><title>Sign in</title>";

test("what a host sends instead of a file is not kept", () => {
  const runs = readdirSync(DIST).find((name) => /^runs-.*\.tsv$/.test(name));
  const html = {};
  let asked = 0;
  const instead = { configurable: true, get: () => ((asked += 1), INSTEAD) };
  return visit({ html }, async ({ server, context }) => {
    const path = new URL(runs, server.url).pathname;
    Object.defineProperty(html, path, instead);
    const { page } = await Stepcast.open(context, server.url, LLAMA);
    // Asked for twice, the second time past the browser's cache; then the worker gives up.
    for (const since = Date.now(); asked < 2 && Date.now() - since < PATIENCE_MS; ) await page.waitForTimeout(50);
    assert.equal(asked, 2);
    await page.waitForFunction(async () => !(await navigator.serviceWorker.getRegistration()));
    const match = (name) =>
      page.evaluate(async (name) => (await caches.match(new URL(name, location.href)))?.text(), name);
    assert.equal(await match(runs), undefined);
    delete html[path];
    await page.reload();
    assert.equal(await kept(page), server.url);
    assert.equal(await match(runs), readFileSync(join(DIST, runs), "utf8"));
  });
});

test("a kept file that was damaged is fetched anew when it is asked for again", () =>
  visit({}, async ({ server, context }) => {
    const { page } = await Stepcast.open(context, server.url, LLAMA);
    await kept(page);
    const runs = readdirSync(DIST).find((name) => /^runs-.*\.tsv$/.test(name));
    const begins = await page.evaluate(async (name) => {
      const address = new URL(name, location.href);
      for (const build of await caches.keys()) await (await caches.open(build)).put(address, new Response("damaged"));
      const begin = async (...asked) => (await (await fetch(...asked)).text()).slice(0, 4);
      return [await begin(address), await begin(`${address}?1`), await begin(address)];
    }, runs);
    assert.deepEqual(begins, ["dama", "run\t", "run\t"]);
  }));

test("the manifest makes it an application of its own", async () => {
  const manifest = JSON.parse(readFileSync(join(DIST, "manifest.webmanifest"), "utf8"));
  assert.equal(manifest.start_url, "./");
  assert.equal(manifest.scope, "./");
  for (const { src, sizes, type } of manifest.icons) {
    const icon = readFileSync(join(DIST, src));
    if (type === "image/png") assert.equal(`${icon.readUInt32BE(16)}x${icon.readUInt32BE(20)}`, sizes);
  }
});
