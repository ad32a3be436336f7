// A ranking that tells how far it is, and is given up after ten seconds: `node examples/rank.js`.

import { rankUpdates } from "stepcast";

const job = { m: "llama3-8b", g: "dgx-h100", n: 64, gb: 256 };
for await (const update of rankUpdates(job, { top: 5, signal: AbortSignal.timeout(10_000) })) {
  const [best] = update.top;
  console.log(`${update.layouts} of ${update.space} layouts, the fastest takes ${best?.step_s.toFixed(3)} s`);
  if (update.done) console.log(`Take ${update.recommended?.link}`);
}
