// What the package does, whatever fetches its WebAssembly.

import start, { Search, explain, predict, traffic } from "./dist/stepcast.js";

// Milliseconds that a search takes at once before others have a turn.
const SLICE_MS = 12;
// Milliseconds between two updates of a ranking, at least.
const UPDATE_MS = 100;

// A job that cannot be forecast. `problems` says why, field by field.
export class StepcastError extends Error {
  constructor(problems) {
    super(problems.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join(" "));
    this.name = "StepcastError";
    this.problems = problems;
  }
}

// What the WebAssembly throws is a list of problems as JSON; anything else is passed on.
function readable(thrown) {
  if (typeof thrown !== "string") return thrown;
  try {
    return new StepcastError(JSON.parse(thrown));
  } catch {
    return new Error(thrown);
  }
}

function ask(question) {
  try {
    return question();
  } catch (thrown) {
    throw readable(thrown);
  }
}

const text = (job) => (typeof job === "string" ? job : JSON.stringify(job));

// Lets whatever waits have a turn. A message comes at once, where a timer waits for some milliseconds.
function turn() {
  if (typeof setImmediate === "function") return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}

export function api(bytes, fetchSchema) {
  let started;
  let known;

  function load(source) {
    started ??= Promise.resolve(source ?? bytes())
      .then((module_or_path) => start({ module_or_path }))
      .then(
        () => {},
        (error) => {
          started = undefined;
          throw error;
        },
      );
    return started;
  }

  async function* rankUpdates(job, { signal, ...options } = {}) {
    signal?.throwIfAborted();
    await load();
    const search = ask(() => new Search(text(job), JSON.stringify(options)));
    try {
      const space = search.space;
      let told = performance.now();
      let left = true;
      while (left) {
        const begun = performance.now();
        while (left && performance.now() - begun < SLICE_MS) left = search.advance();
        await turn();
        signal?.throwIfAborted();
        if (left && performance.now() - told >= UPDATE_MS) {
          yield { ...JSON.parse(ask(() => search.rows())), space, done: false };
          told = performance.now();
        }
      }
      yield { ...JSON.parse(ask(() => search.ranking())), space, done: true };
    } finally {
      search.free();
    }
  }

  async function rank(job, options) {
    let last;
    for await (const update of rankUpdates(job, options)) last = update;
    return last;
  }

  async function answer(question) {
    await load();
    return JSON.parse(ask(question));
  }

  return {
    load,
    predict: (job) => answer(() => predict(text(job))),
    explain: (job) => answer(() => explain(text(job))),
    traffic: (job, options = {}) => answer(() => traffic(text(job), JSON.stringify(options))),
    rank,
    rankUpdates,
    schema: () => (known ??= fetchSchema()),
  };
}
