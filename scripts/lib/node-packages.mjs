// The packages from npm, as the lock file names them.

import { inside } from "./paths.mjs";
import { SetupError, UP_TO_DATE } from "./report.mjs";
import { run } from "./run.mjs";
import { hashOf, isFresh, markFresh, markStale } from "./stamp.mjs";

/** The versions of Node that Vite runs on: these minor versions of a major one, or later. */
const OLDEST = { 20: 19, 22: 12 };
const NEXT = 23;

/** Installs what package-lock.json names, unless it is installed already. */
export async function nodePackages() {
  requireNode();
  // Some packages have a program for each platform.
  const platform = `${process.platform} ${process.arch}`;
  const hash = hashOf([inside("package-lock.json")], [process.version, platform]);
  if (isFresh("node-packages", hash, [inside("node_modules", "vite")])) return UP_TO_DATE;
  markStale("node-packages");
  await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    mend: "check that the npm registry can be reached, then run the command again",
  });
  markFresh("node-packages", hash);
}

export function requireNode() {
  const { node } = process.versions;
  const [major, minor] = node.split(".").map(Number);
  if (major >= NEXT || minor >= (OLDEST[major] ?? Number.POSITIVE_INFINITY)) return;
  const mend = "install Node 22.12 or later";
  throw new SetupError(`this is Node ${node}; 20.19, or 22.12 or later, is needed`, mend);
}
