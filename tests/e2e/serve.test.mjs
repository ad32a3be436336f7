// The development server: `cargo xtask serve` as in the README.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assertClean, launch, newContext } from "./support/browser.mjs";
import { Stepcast } from "./support/page.mjs";
import { LLAMA } from "./support/suite.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

// Longest wait for a first build.
const BUILD_MS = 15 * 60_000;

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

test("the page is built and served for development", { timeout: BUILD_MS + 60_000 }, async () => {
  const port = await freePort();
  const url = `http://localhost:${port}/`;
  // A process group of its own, so that what it starts ends with it.
  const server = spawn("cargo", ["xtask", "serve", "--no-open", "--port", String(port)], {
    cwd: ROOT,
    detached: true,
    stdio: "ignore",
  });
  const browser = await launch();
  try {
    const end = Date.now() + BUILD_MS;
    for (let up = false; !up; ) {
      assert.equal(server.exitCode, null, "the server runs");
      assert.ok(Date.now() < end, "the server answers");
      up = await fetch(url).then(
        (response) => response.ok,
        () => false,
      );
      if (!up) await new Promise((done) => setTimeout(done, 200));
    }
    const { context, problems } = await newContext(browser, url.slice(0, -1));
    const reload = context.waitForEvent("page").then((page) => page.waitForEvent("websocket"));
    const stepcast = await Stepcast.open(context, url, LLAMA);
    assert.equal(await stepcast.ranked(), "done");
    assert.match((await reload).url(), new RegExp(`^ws://localhost:${port}/`), "it hears of new builds");
    assertClean(problems);
  } finally {
    await browser.close();
    process.kill(-server.pid);
  }
});
