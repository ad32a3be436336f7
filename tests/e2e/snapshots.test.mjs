// Sixteen states of the page, at three widths, light and dark, against the pictures in snapshots/. A picture that differs
// is left in output/. `RENEW_SNAPSHOTS=1 node --test tests/e2e/snapshots.test.mjs` keeps what is seen instead: look at it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { OUTPUT } from "./support/browser.mjs";
import { RENEW, TOLERANCE, compare } from "./support/snapshot.mjs";
import { LLAMA, suite } from "./support/suite.mjs";

const shared = suite();

const HYBRID = readFileSync(new URL("../exchange/hf-config/zamba2-12-layers.json", import.meta.url), "utf8");

const SIZES = { 1920: { width: 1920, height: 1080 }, 1440: { width: 1440, height: 900 }, 390: { width: 390, height: 844 } };

const OTHER = "#1;m=llama3-8b;g=dgx-h200;n=64;gb=256;tp=1;sp=0;pp=1;zero=3;stack=torchtitan";

// The first view of a job, with a panel of it unfolded.
const view = (name, open) => ({ fragment: `${LLAMA};v.view=${name};v.open=${open}`, at: "#views" });

// How each state is reached, once or again at every size, and what is brought to the top of the window.
const STATES = {
  opening: { fragment: "" },
  "own-model": {
    reach: async (stepcast) => {
      await stepcast.type("kv", "4");
      await stepcast.type("seq", "16k");
    },
  },
  picker: {
    fragment: "",
    // The list closes where the job gets or loses its place, as what leaves its focus does.
    again: async (stepcast) => {
      if (await stepcast.page.locator("#picker").count()) return;
      await stepcast.openPart("m");
      await stepcast.page.locator("#picker-search").fill("llama");
    },
  },
  invalid: {
    at: ".field-wrong",
    reach: async (stepcast) => {
      await stepcast.type("tp", "3");
      await stepcast.complaint("tp");
    },
  },
  "no-fit": {
    fragment: "",
    reach: async (stepcast) => {
      await stepcast.choose("m", "llama3-405b");
      await stepcast.choose("g", "dgx-a100-40g");
      await stepcast.type("n", "8");
      await stepcast.closeFields();
      await stepcast.page.locator("#helps").filter({ hasText: "No layout of this job fits" }).waitFor();
      await stepcast.ranked();
    },
  },
  "short-list": { fragment: "", at: "#short-list" },
  layouts: { fragment: "", at: "#views" },
  "two-jobs": {
    at: "#jobs",
    reach: async (stepcast) => {
      const columns = stepcast.page.locator("#jobs-table thead th");
      await (await stepcast.unfold("jobs")).getByRole("button", { name: "Add to comparison: this job" }).click();
      await columns.first().waitFor();
      await stepcast.waitFor("both in the link", () => /v\.jobs=/.test(stepcast.fragment()));
      const view = stepcast.fragment().split(";").filter((pair) => pair.startsWith("v."));
      await stepcast.page.evaluate((link) => (location.hash = link), [OTHER, ...view].join(";"));
      await stepcast.waitFor("the other job", async () => /Llama-3 8B/.test(await stepcast.page.locator("#part-m").innerText()));
      await stepcast.ranked();
      await stepcast.page.locator("#jobs").getByRole("button", { name: "Add to comparison: this job" }).click();
      await columns.nth(1).waitFor();
    },
  },
  time: view("time", "waterfall"),
  memory: view("memory", "memory"),
  communication: view("communication", "matrix"),
  scale: view("scale", "scaling"),
  machine: { ...view("communication", "machine"), at: "#machine" },
  hybrid: {
    fragment: "#2;m=nemotron-3-nano;g=dgx-b200;n=64",
    at: "#timeline",
    // The strip of its layers, where there is room for it.
    reach: (stepcast) => stepcast.openFields(),
  },
  import: {
    reach: async ({ page }) => {
      await page.locator("#import").click();
      await page.locator("#import-text").fill(HYBRID);
      await page.locator("#import-understood").waitFor();
    },
  },
  calibrated: {
    fragment: "",
    reach: async ({ page }) => {
      await page.locator("#own-step").fill("9.1 s");
      await page.getByRole("button", { name: "Calibrate" }).click();
      await page.locator(".sure").filter({ hasText: "your measured step" }).waitFor();
    },
  },
};

for (const [state, { fragment = LLAMA, reach, again, at }] of Object.entries(STATES)) {
  test(`${state} looks as it did`, async () => {
    const tool = await (await shared.browser.newContext()).newPage();
    const stepcast = await shared.open(fragment);
    await stepcast.ranked();
    await reach?.(stepcast);
    await stepcast.page.waitForFunction(() => [...document.querySelectorAll("[data-panel]")].every((place) => place.firstElementChild?.childElementCount));
    const differ = [];
    for (const [name, size] of Object.entries(SIZES)) {
      for (const colorScheme of ["light", "dark"]) {
        await stepcast.page.setViewportSize(size);
        await stepcast.page.emulateMedia({ colorScheme });
        await again?.(stepcast);
        await stepcast.page.evaluate(async (at) => {
          scrollTo(0, 0);
          // Charts take their width a frame after their place has it; what is above may then be of another height.
          for (let last; last !== scrollY; ) {
            last = scrollY;
            for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
            if (at) document.querySelector(at).scrollIntoView();
          }
        }, at);
        const share = await compare(tool, stepcast.page, `${state}-${name}-${colorScheme}`);
        // README.md shows the one in light: `cargo xtask readme` takes it over.
        if (state === "opening") await stepcast.page.screenshot({ path: join(OUTPUT, `${colorScheme}-${name}.png`) });
        if (share > TOLERANCE) differ.push(`${name} ${colorScheme}: ${(100 * share).toFixed(1)} %`);
      }
    }
    await tool.context().close();
    assert.deepEqual(differ, [], `more than ${100 * TOLERANCE} % of the picture differs`);
  });
}

test("a picture of another state is told apart", { skip: RENEW }, async () => {
  const tool = await (await shared.browser.newContext()).newPage();
  const stepcast = await shared.open(LLAMA, { viewport: SIZES[1440] });
  await stepcast.ranked();
  for (const other of ["picker-1440-light", "invalid-1440-light", "opening-1440-dark", "short-list-1440-light"]) {
    const share = await compare(tool, stepcast.page, other);
    assert.ok(share > TOLERANCE, `${other}: ${(100 * share).toFixed(1)} %`);
  }
  await tool.context().close();
});
