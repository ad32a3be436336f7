// The command line, which the page must agree with.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

// What `stepcast ARGUMENTS --json` prints, read.
export function stepcast(...argumentsOfCommand) {
  const cargo = ["run", "--quiet", "--bin", "stepcast", "--", ...argumentsOfCommand, "--json"];
  return JSON.parse(execFileSync("cargo", cargo, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 26 }));
}
