// What the tests of the package share: the command line, and random jobs.

import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const PACKAGE = fileURLToPath(new URL("../../packages/js/", import.meta.url));

const MOST_OUTPUT = 1 << 30;

export function cargo(command, argumentsOfIt, input = "") {
  const options = { cwd: ROOT, encoding: "utf8", maxBuffer: MOST_OUTPUT, input };
  return execFileSync("cargo", ["run", "--quiet", ...command, "--", ...argumentsOfIt], options);
}

export const stepcast = (...argumentsOfIt) => cargo(["--bin", "stepcast"], argumentsOfIt);

// Forecasts of many jobs by the command line, each a line of JSON.
export const forecasts = (jobs) => lines(cargo(["--bin", "stepcast"], ["predict", "-"], jobs.join("\n")));

// Links of random jobs that can be run, drawn from the whole table of fields.
export const randomLinks = (count) => lines(cargo(["--example", "scenarios"], [String(count)]));

export const node = (argumentsOfIt, cwd) => spawnSync(process.execPath, argumentsOfIt, { cwd, encoding: "utf8" });

const lines = (text) => text.trimEnd().split("\n");
