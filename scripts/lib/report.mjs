// What the set-up says while it works: a line a stage, and on failure which
// stage it was and how to mend it.

import { parseArgs } from "node:util";

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code, text) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);

/** A failure whose cause is known, with what the user can do about it. */
export class SetupError extends Error {
  constructor(message, mend) {
    super(message);
    this.mend = mend;
  }
}

/** The options that the script was given; one that it does not know ends it, with a word which. */
export function optionsOf(options = {}) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(`${error.message}\n\nOptions are told at the head of ${process.argv[1]}.`);
    return process.exit(2);
  }
}

/** What a stage returns when there was nothing to do. */
export const UP_TO_DATE = Symbol("up to date");

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Runs one stage and prints its name and time. */
export async function stage(name, work) {
  const started = performance.now();
  console.log(paint(2, `· ${name}`));
  try {
    const result = await work();
    const how = result === UP_TO_DATE ? "up to date" : seconds(started);
    console.log(`${paint(32, "✓")} ${name} ${paint(2, `(${how})`)}`);
    return result;
  } catch (error) {
    console.error(`${paint(31, "✗")} ${name} ${paint(2, `(${seconds(started)})`)}`);
    error.stage ??= name;
    throw error;
  }
}

/** Runs a script's whole work; the exit status is 1 if it fails. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    const known = error instanceof SetupError;
    console.error(`\n${paint(31, "Failed")} in “${error.stage ?? "set-up"}”: ${error.message}`);
    if (known && error.mend)
      console.error(`\nTo mend it:\n  ${error.mend.replaceAll("\n", "\n  ")}`);
    if (!known) console.error(error.stack);
    process.exit(1);
  }
}
