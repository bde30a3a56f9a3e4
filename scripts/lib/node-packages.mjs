// The packages from npm, as the lock file names them.

import { inside } from "./paths.mjs";
import { SetupError, UP_TO_DATE } from "./report.mjs";
import { run } from "./run.mjs";
import { hashOf, isFresh, markFresh, markStale } from "./stamp.mjs";

const [OLDEST_MAJOR, OLDEST_MINOR] = [20, 19];

/** Installs what package-lock.json names, unless it is installed already. */
export async function nodePackages() {
  requireNode();
  const hash = hashOf([inside("package-lock.json")], [process.version]);
  if (isFresh("node-packages", hash, [inside("node_modules", "vite")])) return UP_TO_DATE;
  markStale("node-packages");
  await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    mend: "check that the npm registry can be reached, then run the command again",
  });
  markFresh("node-packages", hash);
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > OLDEST_MAJOR || (major === OLDEST_MAJOR && minor >= OLDEST_MINOR)) return;
  throw new SetupError(
    `this is Node ${process.versions.node}; ${OLDEST_MAJOR}.${OLDEST_MINOR} or later is needed`,
    "install a newer Node",
  );
}
