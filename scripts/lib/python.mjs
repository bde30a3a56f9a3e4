// The tests of what is written in Python: training a model, and judges of texts.

import { inside } from "./paths.mjs";
import { SetupError } from "./report.mjs";
import { capture, which } from "./run.mjs";

const FOLDERS = [inside("models", "train"), inside("grammars", "judge")];

/**
 * Runs them; nothing that users need is in Python, so what it lacks leaves tests out,
 * and is named.
 */
export async function pythonTests() {
  const python = which("python3");
  if (!python) {
    console.log("  python3 is not installed, so none of them runs");
    return;
  }
  for (const cwd of FOLDERS) {
    const { status, output } = await capture(python, ["-B", "-m", "unittest", "-v"], { cwd });
    if (status !== 0) throw new SetupError(`\`python3 -m unittest\` in ${cwd}:\n${output}`);
    const skipped = output.matchAll(/^.*?(\w+)\)? \.\.\. skipped '(.*)'$/gm);
    for (const [, test, why] of skipped) console.log(`  left out: ${test}, ${why}`);
  }
}
