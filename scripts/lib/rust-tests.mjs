// The Rust crates' integration tests: one program a crate, of which each file is a module. A
// file that no program names would never run, and nobody would tell.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { inside } from "./paths.mjs";
import { SetupError } from "./report.mjs";

/** Fails if a file of a crate's tests is no module of its `tests/all.rs`. */
export function requireAllListed() {
  for (const crate of readdirSync(inside("crates"))) {
    const folder = inside("crates", crate, "tests");
    if (!existsSync(folder)) continue;
    const files = readdirSync(folder).filter((file) => file.endsWith(".rs") && file !== "all.rs");
    if (files.length === 0) continue;
    const program = `crates/${crate}/tests/all.rs`;
    const listed = existsSync(inside(program)) ? readFileSync(inside(program), "utf8") : "";
    for (const file of files) {
      const line = `mod ${file.slice(0, -".rs".length)};`;
      if (listed.split("\n").includes(line)) continue;
      throw new SetupError(`crates/${crate}/tests/${file} never runs`, `add ${line} to ${program}`);
    }
  }
}
