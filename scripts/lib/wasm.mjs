// The engine as WebAssembly, twice: `full` with the model, `grammar` with the
// grammar engine alone, for apps that load only that.

import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { inside } from "./paths.mjs";
import { UP_TO_DATE } from "./report.mjs";
import { run } from "./run.mjs";
import { hashOf, isFresh, markFresh, markStale } from "./stamp.mjs";
import { requireRust, wasmToolchain } from "./toolchain.mjs";

const FLAGS = ["-C", "target-feature=+simd128", "--cfg", 'getrandom_backend="wasm_js"'];
const TARGET_FOLDER = inside("target", "web");
const BUILT = inside("target", "web", "wasm32-unknown-unknown", "web", "lacuna_wasm.wasm");
const BINDGEN = inside("target", "bindgen", "debug", "lacuna-bindgen");

/** The two builds: a name and what cargo is told. */
export const BUILDS = [
  { name: "full", features: [] },
  { name: "grammar", features: ["--no-default-features"] },
];

const product = (name) => inside("web", "pkg", name, "lacuna_wasm_bg.wasm");
const skipsOptimiser = () => process.env.LACUNA_SKIP_OPT === "1";

/** Builds whichever of the two is not up to date. */
export async function wasm() {
  const hash = inputHash();
  const stale = BUILDS.filter(({ name }) => !isFresh(`wasm-${name}`, hash, [product(name)]));
  if (stale.length === 0) return UP_TO_DATE;
  requireRust();
  const toolchain = await wasmToolchain();
  await buildBindgen();
  for (const build of stale) {
    markStale(`wasm-${build.name}`);
    await compile(build, toolchain);
    await bind(build);
    markFresh(`wasm-${build.name}`, hash);
    report(build);
  }
}

function inputHash() {
  const rooms = readdirSync(inside("crates")).filter((room) => room !== "cli");
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
      TARGET_FOLDER,
      ...build.features,
    ],
    {
      env: { ...toolchain.env, CARGO_ENCODED_RUSTFLAGS: FLAGS.join("\x1f"), RUSTFLAGS: undefined },
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
async function bind({ name }) {
  const step = `bindings-${name}`;
  const hash = hashOf([BUILT, inside("scripts", "bindgen")], [`optimise ${!skipsOptimiser()}`]);
  if (isFresh(step, hash, [product(name)])) return;
  markStale(step);
  const folder = inside("web", "pkg", name);
  rmSync(folder, { recursive: true, force: true });
  await run(BINDGEN, [BUILT, folder]);
  if (!skipsOptimiser()) await optimise(name);
  markFresh(step, hash);
}

async function optimise(name) {
  console.log(`  ${name}: optimising (LACUNA_SKIP_OPT=1 leaves this out)`);
  const features = [
    "simd",
    "bulk-memory",
    "nontrapping-float-to-int",
    "sign-ext",
    "mutable-globals",
  ];
  const more = ["reference-types", "multivalue"];
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
