// The page for benchmarks: an engine of its own, another runtime to compare with,
// and a bundle of its own. Nothing of it is part of the page that is shown.

import { cpSync, mkdirSync, rmSync } from "node:fs";
import { inside } from "./paths.mjs";
import { UP_TO_DATE } from "./report.mjs";
import { run } from "./run.mjs";
import { hashOf, isFresh, markFresh, markStale } from "./stamp.mjs";
import { BENCH_BUILDS, wasm } from "./wasm.mjs";

const FOLDER = inside("web", "bench");
const RUNTIME = inside("web", "bench", "node_modules", "onnxruntime-web", "dist");

/** Where the bundled page stands. */
export const BENCH_PAGE = inside("web", "bench", "dist");

/** The engine with what the page measures by; tests do without its build with threads. */
export const benchBuilds = ({ threads = true } = {}) =>
  BENCH_BUILDS.slice(0, threads ? undefined : 1);

/** Builds it. */
export const benchEngine = () => wasm(benchBuilds());

/** onnxruntime-web, of the version that the page's own lock file names. */
export async function otherRuntime() {
  const hash = hashOf([inside("web", "bench", "package-lock.json")]);
  if (isFresh("bench-packages", hash, [RUNTIME])) return UP_TO_DATE;
  markStale("bench-packages");
  await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: FOLDER,
    mend: "check that the npm registry can be reached, then run the command again",
  });
  markFresh("bench-packages", hash);
}

/** Bundles the page, with the runtime's files and the model beside it. */
export async function benchPage() {
  const vite = inside("node_modules", "vite", "bin", "vite.js");
  await run(process.execPath, [vite, "build", FOLDER, "--logLevel", "warn"]);
  const beside = (...parts) => inside("web", "bench", "dist", ...parts);
  rmSync(beside("ort"), { recursive: true, force: true });
  cpSync(RUNTIME, beside("ort"), {
    recursive: true,
    filter: (path) => path === RUNTIME || /\/ort(-wasm|\.wasm|\.webgpu).*\.(mjs|wasm)$/.test(path),
  });
  mkdirSync(beside("model"), { recursive: true });
  for (const name of ["config.json", "model.safetensors"]) {
    cpSync(inside("models", "lacuna-mini", name), beside("model", name));
  }
}
