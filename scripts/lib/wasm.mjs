// The engine as WebAssembly: `full` with the model, `threads` the same with
// memory that workers share, for pages that are cross-origin isolated, and
// `grammar` with the grammar engine alone, for apps that load only that. Besides,
// what the page for benchmarks measures with, without threads and with.

import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { inside } from "./paths.mjs";
import { UP_TO_DATE } from "./report.mjs";
import { run } from "./run.mjs";
import { hashOf, isFresh, markFresh, markStale } from "./stamp.mjs";
import { requireRust, threadsToolchain, wasmToolchain } from "./toolchain.mjs";

const FLAGS = ["-C", "target-feature=+simd128", "--cfg", 'getrandom_backend="wasm_js"'];

// Memory comes from outside, so that several instances have the same; its size
// grows to what the model needs, and has to have a bound. The exports are what
// the bindings' tool gives each instance a stack and thread-locals by.
const THREAD_FLAGS = [
  ...["-C", "target-feature=+atomics,+bulk-memory,+mutable-globals"],
  ...[
    "--shared-memory",
    "--import-memory",
    "--max-memory=4294967296",
    ...["__wasm_init_tls", "__tls_size", "__tls_align", "__tls_base"].map(
      (name) => `--export=${name}`,
    ),
  ].flatMap((argument) => ["-C", `link-arg=${argument}`]),
];

const BINDGEN = inside("target", "bindgen", "debug", "lacuna-bindgen");

/** The builds: a name, what cargo and the compiler are told, and cargo's folder. */
export const BUILDS = [
  { name: "full", features: [], flags: FLAGS, target: "web" },
  // Of its own, because its standard library is another.
  { name: "threads", features: [], flags: [...FLAGS, ...THREAD_FLAGS], target: "web-threads" },
  { name: "grammar", features: ["--no-default-features"], flags: FLAGS, target: "web" },
];

const BENCH = ["--no-default-features", "--features", "bench"];

/** The same of the page for benchmarks, beside that page. */
export const BENCH_BUILDS = [
  { name: "bench", features: BENCH, flags: FLAGS, target: "web" },
  {
    name: "bench-threads",
    features: BENCH,
    flags: [...FLAGS, ...THREAD_FLAGS],
    target: "web-threads",
  },
];

const measures = ({ name }) => name.startsWith("bench");
const sharesMemory = ({ target }) => target === "web-threads";

const compiled = ({ target }) =>
  inside("target", target, "wasm32-unknown-unknown", "web", "lacuna_wasm.wasm");

const folderOf = (name) =>
  inside("web", ...(name.startsWith("bench") ? ["bench"] : []), "pkg", name);
const product = (name) => join(folderOf(name), "lacuna_wasm_bg.wasm");
const skipsOptimiser = () => process.env.LACUNA_SKIP_OPT === "1";

/** Builds whichever of them is not up to date; with shared memory only where it can be. */
export async function wasm(builds = BUILDS) {
  const hash = inputHash(builds.some(measures) ? ["cli"] : ["cli", "bench"]);
  const stale = builds.filter(({ name }) => !isFresh(`wasm-${name}`, hash, [product(name)]));
  if (stale.length === 0) return UP_TO_DATE;
  requireRust();
  const plain = await wasmToolchain();
  await buildBindgen();
  for (const build of stale) {
    markStale(`wasm-${build.name}`);
    const toolchain = sharesMemory(build) ? await threadsToolchain(plain) : plain;
    if (!toolchain) {
      rmSync(folderOf(build.name), { recursive: true, force: true });
      continue;
    }
    await compile(build, toolchain);
    await bind(build);
    markFresh(`wasm-${build.name}`, hash);
    report(build);
  }
}

function inputHash(without) {
  const rooms = readdirSync(inside("crates")).filter((room) => !without.includes(room));
  const crates = rooms.flatMap((room) =>
    ["Cargo.toml", "build.rs", "src"].map((part) => inside("crates", room, part)),
  );
  const inputs = [
    ...crates,
    inside("Cargo.toml"),
    inside("Cargo.lock"),
    inside("shaders"),
    inside("scripts", "bindgen"),
  ];
  return hashOf(inputs, [
    ...FLAGS,
    ...THREAD_FLAGS,
    `optimise ${!skipsOptimiser()}`,
    process.env.LACUNA_WASM_TOOLCHAIN ?? "",
  ]);
}

async function compile(build, toolchain) {
  console.log(`  ${build.name}: compiling with ${toolchain.name}'s Rust`);
  const args = [
    "build",
    ...toolchain.args,
    "--package",
    "lacuna-wasm",
    "--lib",
    "--profile",
    "web",
  ];
  await run(
    toolchain.cargo,
    [
      ...args,
      "--target",
      "wasm32-unknown-unknown",
      "--target-dir",
      inside("target", build.target),
      ...build.features,
    ],
    {
      env: {
        ...toolchain.env,
        CARGO_ENCODED_RUSTFLAGS: build.flags.join("\x1f"),
        RUSTFLAGS: undefined,
      },
    },
  );
}

/** The tool that writes the JavaScript side. */
async function buildBindgen() {
  const hash = hashOf([inside("scripts", "bindgen")]);
  if (isFresh("bindgen", hash, [BINDGEN])) return;
  console.log("  building the bindings' tool");
  const manifest = inside("scripts", "bindgen", "Cargo.toml");
  const target = inside("target", "bindgen");
  await run("cargo", ["build", "--locked", "--manifest-path", manifest, "--target-dir", target]);
  markFresh("bindgen", hash);
}

/** Bindings and optimiser; skipped if the compiler made the same bytes as last time. */
async function bind(build) {
  const { name } = build;
  const step = `bindings-${name}`;
  const hash = hashOf(
    [compiled(build), inside("scripts", "bindgen")],
    [`optimise ${!skipsOptimiser()}`],
  );
  if (isFresh(step, hash, [product(name)])) return;
  markStale(step);
  const folder = folderOf(name);
  rmSync(folder, { recursive: true, force: true });
  await run(BINDGEN, [compiled(build), folder]);
  if (!skipsOptimiser()) await optimise(build);
  markFresh(step, hash);
}

async function optimise(build) {
  const { name } = build;
  console.log(`  ${name}: optimising (LACUNA_SKIP_OPT=1 leaves this out)`);
  const features = [
    "simd",
    "bulk-memory",
    "nontrapping-float-to-int",
    "sign-ext",
    "mutable-globals",
  ];
  const more = ["reference-types", "multivalue", ...(sharesMemory(build) ? ["threads"] : [])];
  const temporary = `${product(name)}.optimised`;
  await run(process.execPath, [
    inside("node_modules", "binaryen", "bin", "wasm-opt"),
    "-O3",
    ...[...features, ...more].map((feature) => `--enable-${feature}`),
    product(name),
    "-o",
    temporary,
  ]);
  renameSync(temporary, product(name));
}

function report({ name }) {
  const bytes = readFileSync(product(name));
  const kilobytes = (count) => `${Math.round(count / 1000)} KB`;
  console.log(
    `  ${name}: ${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes, { level: 9 }).length)} gzipped`,
  );
}
