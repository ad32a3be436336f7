// For browsers and workers: the WebAssembly is fetched from beside this file.

import { api } from "./api.js";

export { StepcastError } from "./api.js";

export const { load, predict, explain, traffic, rank, rankUpdates, schema } = api(
  () => fetch(new URL("./dist/stepcast_bg.wasm", import.meta.url)),
  async () => (await fetch(new URL("./dist/schema.json", import.meta.url))).json(),
);
