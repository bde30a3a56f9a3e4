// Deno and Bun, in which the package's grammar door has to work as it is.

import { inside } from "./paths.mjs";
import { SetupError } from "./report.mjs";
import { capture, run } from "./run.mjs";
import { hashOf, isFresh, markFresh, markStale } from "./stamp.mjs";

const FOLDER = inside("web", "runtimes");
const USE = inside("web", "runtimes", "use.mjs");
const program = (name) => inside("web", "runtimes", "node_modules", ".bin", name);

/** Imports the grammar door in each runtime, and compares what they say. */
export async function runtimes() {
  await install();
  const deno = ["run", "--no-remote", "--node-modules-dir=manual", "--allow-read", USE];
  const said = [
    await says(process.execPath, [USE]),
    await says(program("deno"), deno),
    await says(program("bun"), [USE]),
  ];
  if (said.some((words) => words !== said[0])) {
    throw new SetupError(`the runtimes differ:\n${said.join("")}`);
  }
}

// Without a lock file: it would have to name a binary for every platform.
async function install() {
  const hash = hashOf([inside("web", "runtimes", "package.json")]);
  if (isFresh("runtimes", hash, [program("deno"), program("bun")])) return;
  markStale("runtimes");
  await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: FOLDER,
    mend: "check that the npm registry can be reached, then run the command again",
  });
  markFresh("runtimes", hash);
}

async function says(path, args) {
  const { status, output } = await capture(path, args, { limit: 60_000, env: { NO_COLOR: "1" } });
  if (status === 0) return output;
  throw new SetupError(`${path} cannot import lacuna-lm/grammar:\n${output}`);
}
