// A browser with an eye on everything that must not happen in it.

import assert from "node:assert/strict";
import { accessSync, constants, mkdirSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const OUTPUT = resolve(fileURLToPath(import.meta.url), "../../output");
mkdirSync(OUTPUT, { recursive: true });

// How many times slower than it is the page's thread is made, to find what a test takes for drawn before it is.
const SLOW = Number(process.env.STEPCAST_SLOW ?? 1);

// Longest wait for anything the page does. Generous: it is there to end a hang, not to measure.
export const PATIENCE_MS = 60_000 * SLOW;

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

function executable() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
  for (const name of names) {
    for (const directory of (process.env.PATH ?? "").split(delimiter)) {
      try {
        accessSync(join(directory, name), constants.X_OK);
        return join(directory, name);
      } catch {
        // Not here.
      }
    }
  }
  throw new Error("no Chromium on the search path; set CHROMIUM");
}

export async function launch(more = []) {
  const browser = await chromium.launch({ executablePath: executable(), args: [...ARGUMENTS, ...more] });
  browser.on("context", (context) => {
    context.setDefaultTimeout(PATIENCE_MS);
    if (SLOW > 1) context.on("page", slow);
  });
  return browser;
}

async function slow(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW });
}

// A context whose pages report console errors, exceptions, content security policy violations, failed
// requests and requests that leave `origin`. `problems` is what they reported. Nothing is kept for offline use unless
// `serviceWorkers` is "allow": what measures a page's requests would measure those, too.
export async function newContext(browser, origin, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block", ...options });
  const problems = [];
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith("data:")) problems.push(`request to ${url}`);
  });
  context.on("requestfailed", (request) => {
    // Leaving a page cancels what it still loads.
    const reason = request.failure()?.errorText;
    if (reason !== "net::ERR_ABORTED") problems.push(`failed request ${request.url()}: ${reason}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} for ${response.url()}`);
  });
  context.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()}`);
  });
  context.on("weberror", (error) => problems.push(`exception: ${error.error()}`));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return { context, problems };
}

export function assertClean(problems) {
  assert.deepEqual(problems, []);
}
