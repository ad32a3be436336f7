// One view alone, in somebody else's page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LLAMA, suite } from "./support/suite.mjs";
import { Stepcast } from "./support/page.mjs";

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
    const full = page.locator('a[href*="#1;"]').first();
    assert.ok(await full.isVisible(), "a link to the whole page");
    assert.match(await full.getAttribute("href"), /m=llama3-70b/);
  });
}

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
  await embedded.step.waitFor();
  assert.equal(await embedded.step.innerText(), await stepcast.step.innerText());
});
