// Starting other programs.

import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "./paths.mjs";
import { SetupError } from "./report.mjs";

/**
 * Runs a program with its output on the terminal; fails if the program does.
 * `env` is added to the environment, where `undefined` takes a variable away.
 */
export async function run(program, args, { env, mend, limit, cwd } = {}) {
  const { status, signal, output } = await execute(program, args, {
    env,
    limit,
    cwd,
    stdio: "inherit",
  });
  if (status !== 0) {
    const ended = signal ? `was ended by ${signal}` : `ended with status ${status}`;
    const how = status === null && limit ? "did not finish in time" : output || ended;
    throw new SetupError(`\`${[program, ...args].join(" ")}\` ${how}`, mend);
  }
}

/**
 * Runs a program quietly, with `input` if it reads any: its status (`null` if it ran out
 * of time) and output.
 */
export async function capture(program, args, { env, limit, cwd, input } = {}) {
  return execute(program, args, { env, limit, cwd, input, stdio: "pipe" });
}

function execute(program, args, { env, limit, cwd = root, input, stdio }) {
  const variables = { ...process.env, ...env };
  for (const name of Object.keys(variables)) {
    if (variables[name] === undefined) delete variables[name];
  }
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(program, args, {
      cwd,
      env: variables,
      stdio: [input === undefined ? "ignore" : "pipe", stdio, stdio],
      timeout: limit,
      killSignal: "SIGKILL",
    });
    child.stdin?.end(input);
    child.stdout?.on("data", (data) => (output += data));
    child.stderr?.on("data", (data) => (output += data));
    child.on("error", (error) => resolve({ status: 127, output: error.message }));
    child.on("close", (status, signal) => resolve({ status, signal, output }));
  });
}

/** The full path of a program on PATH, or `undefined`. */
export function which(program) {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  return undefined;
}
