// The workers of a search: how they share it, what happens when one dies, and that none is left over.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LLAMA, suite } from "./support/suite.mjs";
import { Stepcast, eventually, says } from "./support/page.mjs";

const shared = suite();

// Many layouts, for a search that can be caught running.
const LARGE = "#1;m=gpt3-175b;g=dgx-a100-80g;n=512;seq=2048;gb=1536;v.beyond=1";

// A context that counts workers, has as many cores as told, and breaks the worker of a number after so many messages:
// by silence, or with an error. What each worker answers may be held up.
async function counted({ cores = 4, broken = -1, after = 4, error = false, held = 0 } = {}) {
  const context = await shared.context();
  await context.addInitScript(
    ([cores, broken, after, error]) => {
      Object.defineProperty(Navigator.prototype, "hardwareConcurrency", { get: () => cores });
      window.workers = { started: 0, ended: 0, broken: 0 };
      const Native = window.Worker;
      window.Worker = class extends Native {
        constructor(...options) {
          super(...options);
          const number = window.workers.started++;
          let messages = 0;
          this.addEventListener("message", () => {
            messages += 1;
            if (number !== broken || messages !== after) return;
            window.workers.broken += 1;
            super.terminate();
            if (error) this.dispatchEvent(new ErrorEvent("error", { message: "made to break" }));
          });
        }
        terminate() {
          window.workers.ended += 1;
          super.terminate();
        }
      };
    },
    [cores, broken, after, error],
  );
  if (held) {
    await context.route("**/worker.js*", async (route) => {
      const response = await route.fetch();
      const rest = `const timeout = self.setTimeout; self.setTimeout = (then, ms) => timeout(then, ms + ${held});\n`;
      await route.fulfill({ response, body: rest + (await response.text()) });
    });
  }
  return context;
}

const workers = (stepcast) => stepcast.page.evaluate(() => window.workers);

// The first rows, and how many layouts were counted.
async function outcome(stepcast) {
  await stepcast.rows.nth(11).waitFor();
  const counts = (await stepcast.search.innerText()).match(/^([\d,]+) layouts, ([\d,]+) fit, ([\d,]+) with headroom/).slice(1);
  return { rows: await stepcast.layouts(12), counts };
}

test("a search is shared by workers, and one that falls silent or breaks is replaced, with the same rows", async (t) => {
  const whole = await Stepcast.open(await counted(), shared.url, LARGE);
  assert.equal(await whole.tabled(), "done");
  await says(whole.search, /^[\d,]+ layouts, [\d,]+ fit, [\d,]+ with headroom\. Search time .*: [\d,]+ simulated, the rest ruled out by bounds$/);
  t.diagnostic(await whole.search.innerText());
  const { started, ended } = await workers(whole);
  assert.deepEqual([started, ended], [4, 0], "as many as cores");
  const expected = await outcome(whole);
  for (const error of [false, true]) {
    const stepcast = await Stepcast.open(await counted({ broken: 1, error, held: 20 }), shared.url, LARGE);
    assert.equal(await stepcast.tabled(), "done");
    assert.equal((await workers(stepcast)).broken, 1, "one broke while it searched");
    t.diagnostic(await stepcast.search.innerText());
    await eventually(async () => assert.deepEqual(await outcome(stepcast), expected));
  }
});

test("a small search takes one worker", async () => {
  const stepcast = await Stepcast.open(await counted(), shared.url, "#1;m=llama3-8b;g=dgx-h100;n=8;gb=16;pp=1");
  assert.equal(await stepcast.tabled(), "done");
  assert.equal((await workers(stepcast)).started, 1);
});

test("while it runs a search tells how far it is, and it stops at once", async (t) => {
  const stepcast = await Stepcast.open(await counted({ held: 200 }), shared.url, LARGE);
  await says(
    stepcast.search,
    /^[\d,]+ of [\d,]+ layouts, [\d,]+ fit, [\d,]+ with headroom \(.*\), .* per second, .* remaining; best [\d.]+/,
  );
  const took = await stepcast.page.evaluate(async () => {
    const search = document.querySelector("#ranking .search");
    const begun = performance.now();
    search.querySelector("button").click();
    while (search.dataset.status !== "stopped") await new Promise((done) => setTimeout(done, 1));
    while (window.workers.started !== window.workers.ended) await new Promise((done) => setTimeout(done, 1));
    return performance.now() - begun;
  });
  t.diagnostic(`stopped, and all workers ended, after ${took.toFixed(0)} ms (aim 100)`);
  await says(stepcast.search, /^Stopped: [\d,]+ of [\d,]+ layouts/);
  await stepcast.listed();
  // What it found stays.
  await stepcast.rows.first().waitFor();
});

test("thirty searches in a row leave no worker behind", async (t) => {
  const stepcast = await Stepcast.open(await counted({ cores: 2 }), shared.url, "#1;m=llama2-13b;g=dgx-h100;n=256;gb=512");
  await stepcast.tabled();
  const chip = stepcast.page.locator('[data-axis="mb"]');
  // Each a little after the one before has begun.
  for (let times = 0; times < 30; times += 1) {
    await chip.click();
    await stepcast.page.waitForTimeout(140);
  }
  assert.equal(await stepcast.tabled(), "done");
  const { started, ended } = await workers(stepcast);
  t.diagnostic(`${started} started, ${ended} ended`);
  assert.ok(started - ended <= 2 && started <= 4, `${started} started, ${ended} ended`);
});
