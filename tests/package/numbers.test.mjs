// The package says what the command line says, to the last digit, and both say what the schema allows.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { StepcastError, explain, predict, rank, schema, traffic } from "../../packages/js/node.js";
import { forecasts, randomLinks, stepcast } from "./support.mjs";

const RANDOM = 10_000;
// Answers that are held against the schema: one in so many.
const CHECKED = 10;

const EXAMPLES = [
  { preset: "llama3-70b-512xh100" },
  { m: "llama3-8b", g: "dgx-h100", n: 16, gb: 64, tp: 2, pp: "2", sp: true },
  { m: "mixtral-8x7b", g: "dgx-h100", n: 64, ep: 8, gb: 256 },
];
const IMPOSSIBLE = [{ m: "llama3-8b", tp: 3 }, { tp: "many" }, "#3;x=1", "#1;tp", { preset: "nothing" }, { n: [1] }, "{"];

let validate;
before(async () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(await schema(), "stepcast");
  validate = (kind, value) => {
    const check = ajv.getSchema(`stepcast#/$defs/${kind}`);
    assert.ok(check(value), `${kind}: ${JSON.stringify(check.errors)}`);
  };
});

test(`${RANDOM} random jobs have the command line's forecasts, and open again from their links`, async () => {
  const links = randomLinks(RANDOM);
  const told = forecasts(links);
  assert.equal(told.length, RANDOM);
  for (const [at, link] of links.entries()) {
    const answer = await predict(link);
    assert.equal(JSON.stringify(answer), JSON.stringify(JSON.parse(told[at])), link);
    assert.equal(answer.link, link);
    if (at % CHECKED === 0) validate("Prediction", answer);
  }
});

test("objects and presets are read as the command line reads them", async () => {
  const told = forecasts(EXAMPLES.map((job) => JSON.stringify(job)));
  for (const [at, job] of EXAMPLES.entries()) {
    validate("Scenario", job);
    assert.deepEqual(await predict(job), JSON.parse(told[at]));
  }
});

test("what is impossible is refused with the command line's problems", async () => {
  const texts = IMPOSSIBLE.map((job) => (typeof job === "string" ? job : JSON.stringify(job)));
  const told = forecasts(texts);
  for (const [at, job] of IMPOSSIBLE.entries()) {
    const { problems } = JSON.parse(told[at]);
    assert.ok(problems.length > 0, texts[at]);
    problems.forEach((problem) => validate("Problem", problem));
    await assert.rejects(predict(job), (error) => {
      assert.ok(error instanceof StepcastError);
      assert.deepEqual(error.problems, problems);
      assert.ok(error.message.includes(problems[0].message));
      return true;
    });
  }
});

test("messages, explanations and rankings are the command line's", async () => {
  const link = "#1;m=llama3-8b;g=dgx-h100;n=16;gb=64;tp=2;pp=2";
  const messages = await traffic(link, { rank: 3, matrix: true, wire: "tree" });
  assert.deepEqual(messages, JSON.parse(stepcast("traffic", link, "--rank", "3", "--matrix", "--wire", "tree", "--json")));
  validate("RankMessages", messages);
  const explanation = await explain(link);
  assert.deepEqual(explanation, JSON.parse(stepcast("explain", link, "--json")));
  validate("Explanation", explanation);

  const { space, done, ...ranking } = await rank(link, { top: 7, unfit: 3 });
  const { layouts, fitting, comfortable, recommended, top } = JSON.parse(
    stepcast("rank", link, "--top", "7", "--unfit", "3", "--json"),
  );
  assert.deepEqual([space, done], [layouts, true]);
  // How many had to be timed depends on the order that cores take them in.
  const { timed, ...rest } = ranking;
  assert.ok(timed > 0);
  assert.deepEqual(rest, { layouts, fitting, comfortable, recommended, top });
  validate("Layouts", ranking);
});

test("the schema shipped is the one that the command line prints", async () => {
  assert.deepEqual(await schema(), JSON.parse(stepcast("schema")));
});
