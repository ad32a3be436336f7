// For Node.js and Deno: the WebAssembly is read from beside this file.

import { readFile } from "node:fs/promises";
import { api } from "./api.js";

export { StepcastError } from "./api.js";

const beside = (name) => readFile(new URL(`./dist/${name}`, import.meta.url));

export const { load, predict, explain, traffic, rank, rankUpdates, schema } = api(
  () => beside("stepcast_bg.wasm"),
  async () => JSON.parse(await beside("schema.json")),
);
