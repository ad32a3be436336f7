// The command line, which the page must agree with.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

const output = (program, parts) => execFileSync(program, parts, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 26 });

// The program, which Cargo builds once for a file of tests.
let program;
function built() {
  const messages = output("cargo", ["build", "--quiet", "--bin", "stepcast", "--message-format=json"]);
  return messages.trim().split("\n").map((line) => JSON.parse(line).executable).find((path) => path);
}

// What `stepcast ARGUMENTS` prints.
export function printed(...argumentsOfCommand) {
  program ??= built();
  return output(program, argumentsOfCommand);
}

// What `stepcast ARGUMENTS --json` prints, read.
export const stepcast = (...argumentsOfCommand) => JSON.parse(printed(...argumentsOfCommand, "--json"));
