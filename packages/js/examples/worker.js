// A ranking in a worker: `new Worker("worker.js", { type: "module" })`, then post it a job.

import { rankUpdates } from "../index.js";

addEventListener("message", async ({ data: job }) => {
  for await (const update of rankUpdates(job, { top: 5 })) postMessage(update);
});
