/** What the makers of grammars share as commands. */

import { pathToFileURL } from "node:url";

/**
 * Where this module is the command: writes what `make` gives for its arguments to standard
 * output. What is wrong with them is a line on standard error, with how to use the command,
 * and the exit status 1.
 */
export function command(module, usage, make) {
  if (module !== pathToFileURL(process.argv[1] ?? "").href) return;
  const fail = (message) => {
    process.stderr.write(`${message}\n`);
    process.exitCode = 1;
  };
  // Who reads it may have enough.
  process.stdout.on("error", ({ code, message }) => code === "EPIPE" || fail(message));
  const given = process.argv.slice(2);
  if (given.length === 0) {
    fail(`usage: ${usage}`);
    return;
  }
  try {
    process.stdout.write(make(given));
  } catch (error) {
    fail(`${error.message} (usage: ${usage})`);
  }
}
