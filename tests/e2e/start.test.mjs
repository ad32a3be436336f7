// A start that fails says so, and can be tried again.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DIST } from "./support/server.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const PROGRAM = /\/app-[0-9a-f]+_bg\.wasm$/;
const SCRIPT = /\/app-[0-9a-f]+\.js$/;

// Opens the page in a context of its own, whose problems are what is tried here.
async function opened(context) {
  const page = await context.newPage();
  await page.goto(shared.url + LLAMA, { waitUntil: "commit" });
  return page;
}

const whole = () => readFileSync(join(DIST, readdirSync(DIST).find((name) => /^app-[0-9a-f]+_bg\.wasm$/.test(name))));

const FAILURES = [
  ["the program is missing", PROGRAM, (route) => route.fulfill({ status: 404, body: "not here" })],
  ["the program cannot be reached", PROGRAM, (route) => route.abort()],
  ["the program is cut short", PROGRAM, (route) => route.fulfill({ contentType: "application/wasm", body: whole().subarray(0, 5000) })],
  ["the program is something else", PROGRAM, (route) => route.fulfill({ contentType: "text/html", body: "<p>Sign in first</p>" })],
  ["its script is missing, as in an old page after a redeploy", SCRIPT, (route) => route.fulfill({ status: 404, body: "gone" })],
  ["its script has the wrong type", SCRIPT, (route) => route.fulfill({ contentType: "text/html", body: "<p>Sign in first</p>" })],
];

for (const [what, pattern, answer] of FAILURES) {
  test(`${what}: a sentence, a reason, and another try that works`, async () => {
    const context = await shared.browser.newContext();
    try {
      await context.route(pattern, answer);
      const page = await opened(context);
      const alert = page.getByRole("alert");
      await alert.waitFor();
      const text = await alert.innerText();
      assert.match(text, /could not be loaded/);
      assert.match(text, /(app|boot)-[0-9a-f]+(_bg\.wasm|\.js) /, text);
      await page.getByText("Loading the predictor").waitFor({ state: "detached" });
      await context.unroute(pattern);
      await alert.getByRole("button", { name: "Try again" }).click();
      await page.locator("#figure-step .value").waitFor();
      assert.match(page.url(), /m=llama3-70b/, "the scenario is still in the address");
    } finally {
      await context.close();
    }
  });
}

test("a browser without WebAssembly is told so", async () => {
  const context = await shared.browser.newContext();
  try {
    await context.addInitScript(() => delete globalThis.WebAssembly);
    const page = await opened(context);
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assert.match(await alert.innerText(), /needs WebAssembly/);
  } finally {
    await context.close();
  }
});

test("a start that works says nothing", async () => {
  const stepcast = await shared.open(LLAMA);
  assert.equal(await stepcast.page.locator(".shell-failed").count(), 0);
});
