// One forecast: `node examples/predict.js`.

import { explain } from "stepcast";

const { job, step_s, bottleneck, parts } = await explain({ preset: "llama3-70b-512xh100" });
console.log(`${job}: ${step_s.toFixed(2)} s. ${bottleneck}`);
for (const { label, share } of parts) console.log(`${(100 * share).toFixed(1).padStart(5)} %  ${label}`);
