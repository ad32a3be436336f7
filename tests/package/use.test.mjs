// The package as people use it: examples, types, a page, a worker, a ranking that is watched and given up.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import start from "../../packages/js/dist/stepcast.js";
import { predict, rank, rankUpdates } from "../../packages/js/node.js";
import { launch } from "../e2e/support/browser.mjs";
import { PACKAGE, ROOT, node } from "./support.mjs";

const JOB = { m: "llama3-70b", g: "dgx-h100", n: 512 };
const TYPES = { ".js": "text/javascript", ".json": "application/json", ".html": "text/html", ".wasm": "application/wasm" };

let server, browser, address;
before(async () => {
  server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    try {
      const content = await readFile(join(PACKAGE, path));
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/plain" }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}`;
  browser = await launch();
});
after(async () => {
  await browser.close();
  server.close();
});

test("examples run in Node.js", () => {
  for (const name of ["predict.js", "rank.js"]) {
    const { status, stdout, stderr } = node([`examples/${name}`], PACKAGE);
    assert.equal(status, 0, stderr);
    assert.match(stdout, name === "rank.js" ? /^Take #2;/m : /^Llama-3 70B on 512 GPUs/);
  }
});

test("the types compile in a strict project, and refuse what is no field", () => {
  const folder = mkdtempSync(join(PACKAGE, "types-"));
  try {
    const good = `
      import { predict, rankUpdates, StepcastError, type Prediction, type Scenario } from "stepcast";
      const job: Scenario = { m: "llama3-70b", n: 512, sp: true, seq: "8k" };
      const answer: Prediction = await predict(job);
      const seconds: number = answer.step_s + answer.breakdown.forward + answer.memory.peak_gib;
      for await (const { top, done } of rankUpdates(job, { signal: AbortSignal.timeout(1000) })) console.log(top[0]?.mfu, done);
      try { await predict("#2"); } catch (error) { if (error instanceof StepcastError) console.log(error.problems[0]?.field, seconds); }
    `;
    const options = ["--noEmit", "--strict", "--noUncheckedIndexedAccess", "--skipLibCheck", "false", "--target", "esnext", "--module", "nodenext", "--lib", "esnext,dom"];
    const compile = (text) => {
      writeFileSync(join(folder, "use.mts"), text);
      return node([join(ROOT, "node_modules/typescript/bin/tsc"), ...options, join(folder, "use.mts")], PACKAGE);
    };
    const { status, stdout } = compile(good);
    assert.equal(status, 0, stdout);
    assert.notEqual(compile(good.replace("n: 512", "gpus: 512")).status, 0, "an unknown field");
    assert.notEqual(compile(good.replace("answer.step_s", "answer.step_ms")).status, 0, "an unknown figure");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a ranking grows, and is given up when it is told to", async () => {
  let last = 0;
  let updates = 0;
  for await (const { layouts, space, top, done } of rankUpdates(JOB, { top: 3 })) {
    assert.ok(layouts >= last && layouts <= space);
    assert.ok(top.length <= 3);
    assert.equal(done, layouts === space);
    last = layouts;
    updates += 1;
    if (updates === 3) break;
  }
  const gone = new AbortController();
  const waiting = rank(JOB, { signal: gone.signal });
  setTimeout(() => gone.abort(), 50);
  await assert.rejects(waiting, { name: "AbortError" });
  await assert.rejects(rank(JOB, { signal: AbortSignal.abort() }), { name: "AbortError" });
  await assert.rejects(rank(JOB, { fix: ["nothing"] }), /nothing is not a field/);
  await assert.rejects(rank(JOB, { sort: "mfu" }), /options cannot be read/);
});

test("a ranking that is given up leaves no memory taken", async () => {
  const { memory } = await start();
  const giveUp = async (times) => {
    for (let time = 0; time < times; time += 1) {
      const gone = new AbortController();
      const updates = rankUpdates(JOB, { signal: gone.signal });
      setTimeout(() => gone.abort());
      await assert.rejects(updates.next(), { name: "AbortError" });
    }
    return memory.buffer.byteLength;
  };
  const before = await giveUp(20);
  assert.equal(await giveUp(150), before);
});

test("a page and a worker get the same numbers", async () => {
  const page = await browser.newPage();
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(`${address}/examples/page.html`);
  const { step_s } = await predict("#2;m=llama3-8b;g=dgx-h100;n=64");
  await page.getByText(`${step_s} s`).waitFor();
  const job = { m: "llama3-8b", g: "dgx-h100", n: 16, gb: 64 };
  const last = await page.evaluate(
    (job) =>
      new Promise((resolve, reject) => {
        const worker = new Worker("/examples/worker.js", { type: "module" });
        worker.onerror = (event) => reject(event.message);
        worker.onmessage = ({ data }) => data.done && resolve(data);
        worker.postMessage(job);
      }),
    job,
  );
  assert.deepEqual(last, await rank(job, { top: 5 }));
  assert.deepEqual(problems, []);
});
