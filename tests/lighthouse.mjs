// What Lighthouse says of the built page, on a phone and on a desk. Not part of the suite: it takes a minute, and its package
// is as large as all others together.
//
//     npm install --no-save lighthouse@12.8.2 && node tests/lighthouse.mjs

import assert from "node:assert/strict";
import lighthouse, { desktopConfig } from "lighthouse";
import { launch } from "./e2e/support/browser.mjs";
import { serve } from "./e2e/support/server.mjs";

// Least score of each category, of 100.
const LEAST = 97;
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];
const TIMES = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "speed-index", "cumulative-layout-shift"];

// Any that is free would do; Lighthouse asks for its number.
const PORT = 9344;

const server = await serve();
const browser = await launch([`--remote-debugging-port=${PORT}`]);
const low = [];
for (const [place, config] of [["phone", undefined], ["desk", desktopConfig]]) {
  const { lhr } = await lighthouse(server.url, { port: PORT, logLevel: "error", onlyCategories: CATEGORIES }, config);
  const scores = CATEGORIES.map((name) => [name, Math.round(100 * lhr.categories[name].score)]);
  console.log(`${place}: ${scores.map((pair) => pair.join(" ")).join(", ")}`);
  console.log(`  ${TIMES.map((name) => `${name} ${lhr.audits[name].displayValue}`).join(", ")}`);
  for (const [name, score] of scores) {
    if (score < LEAST) low.push(`${place}: ${name} ${score}`);
    for (const { id, weight } of lhr.categories[name].auditRefs) {
      const { score: own, title } = lhr.audits[id];
      if (weight > 0 && own !== null && own < 0.9) console.log(`  ${name}: ${title} (${own})`);
    }
  }
}
await browser.close();
await server.close();
assert.deepEqual(low, []);
