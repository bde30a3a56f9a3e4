// The engine as WebAssembly, beside the npm package's sources: `full` with the model,
// `threads` the same with memory that workers share, for pages that are cross-origin
// isolated, and `grammar` with the grammar engine alone, small, for apps that load only
// that. Besides, what the playground works with, and what the page for benchmarks measures
// with, without threads and with.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { leanBindings } from "./lean-bindings.mjs";
import { nameByLikeness } from "./order-functions.mjs";
import { packTables } from "./pack-tables.mjs";
import { inside } from "./paths.mjs";
import { UP_TO_DATE } from "./report.mjs";
import { run } from "./run.mjs";
import { shortenImports } from "./short-imports.mjs";
import { hashOf, isFresh, markFresh, markStale } from "./stamp.mjs";
import { requireRust, stdToolchain, threadsToolchain, wasmToolchain } from "./toolchain.mjs";

// A panic says its message and its file: with lines and columns, 3,400 places are a hundredth of
// the module once it is packed.
const FLAGS = [
  ...["-C", "target-feature=+simd128,+bulk-memory", "--cfg", 'getrandom_backend="wasm_js"'],
  "-Zlocation-detail=file",
];

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

// A tenth of a module is sorting, each kind of item its own. What has to be fast sorts little.
const SMALL_STD = ["-Zbuild-std-features=optimize_for_size"];

// Half the size of a build for speed. Panics are bugs; here they trap without a word. What is
// called once is written where it is called; whatever else is, packs better by itself.
const SMALL_FLAGS = [
  "-Zunstable-options",
  ...["-Cpanic=immediate-abort", "-Zinline-mir=no", "-Zlocation-detail=none"],
  "-Cllvm-args=-inline-threshold=0",
];

/** What else a module's bytes depend on. */
const SHAPERS = [
  "lean-bindings",
  "order-functions",
  "pack-columns",
  "pack-sets",
  "pack-tables",
  "short-imports",
  "wasm-sections",
].map((name) => inside("scripts", "lib", `${name}.mjs`));

const BINDGEN = inside("target", "bindgen", "debug", "lacuna-bindgen");

/** The builds: a name, what cargo and the compiler are told, and cargo's folder. */
export const BUILDS = [
  { name: "full", features: [], flags: FLAGS, target: "web" },
  // Of its own, because its standard library is another.
  { name: "threads", features: [], flags: [...FLAGS, ...THREAD_FLAGS], target: "web-threads" },
  {
    name: "grammar",
    features: ["--no-default-features"],
    flags: FLAGS,
    target: "web-small",
    profile: "web-small",
  },
  // The grammar engine and what the playground asks besides, for speed.
  {
    name: "workbench",
    features: ["--no-default-features", "--features", "workbench"],
    flags: FLAGS,
    target: "web",
  },
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
const isSmall = ({ profile }) => profile === "web-small";

const compiled = ({ target, profile = "web" }) =>
  inside("target", target, "wasm32-unknown-unknown", profile, "lacuna_wasm.wasm");

const folderOf = (name) => {
  if (name === "workbench") return inside("web", "playground", "pkg");
  if (name.startsWith("bench")) return inside("web", "bench", "pkg", name);
  return inside("web", "lacuna", "wasm", name);
};
const product = (name) => join(folderOf(name), "lacuna_wasm_bg.wasm");
const skipsOptimiser = () => process.env.LACUNA_SKIP_OPT === "1";

/** Memory that linking a module takes, at most. */
const MEMORY_EACH = 4 * 2 ** 30;

/**
 * Builds whichever of them is not up to date; with shared memory only where it can be. Linking
 * and optimising take one processor each, so those of different folders go on side by side.
 */
export async function wasm(builds = BUILDS) {
  const hashes = new Map(builds.map((build) => [build.name, inputHash(build)]));
  const isStale = ({ name }) => !isFresh(`wasm-${name}`, hashes.get(name), [product(name)]);
  const stale = builds.filter(isStale);
  if (stale.length === 0) return UP_TO_DATE;
  requireRust();
  const plain = await wasmToolchain();
  // Side by side with what is compiled; nothing needs it before that is done.
  const bindgen = buildBindgen();
  bindgen.catch(() => {});
  const byFolder = new Map();
  for (const build of stale) {
    const toolchain = await toolchainFor(build, plain);
    const folder = byFolder.get(build.target) ?? [];
    byFolder.set(build.target, [...folder, { build, toolchain }]);
  }
  // The folder with most to build comes first: it takes longest.
  const folders = [...byFolder.values()].sort((one, other) => other.length - one.length);
  const lane = async () => {
    for (let folder = folders.shift(); folder; folder = folders.shift()) {
      for (const { build, toolchain } of folder) {
        await make(build, toolchain, bindgen, hashes.get(build.name));
      }
    }
  };
  const lanes = Math.min(availableParallelism(), Math.floor(totalmem() / MEMORY_EACH));
  const made = await Promise.allSettled(Array.from({ length: Math.max(lanes, 1) }, lane));
  const failed = made.find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
}

async function make(build, toolchain, bindgen, hash) {
  markStale(`wasm-${build.name}`);
  if (!toolchain) {
    writeAbsent(build);
    return;
  }
  await compile(build, toolchain);
  await bindgen;
  await bind(build);
  markFresh(`wasm-${build.name}`, hash);
  report(build);
}

/** The toolchain of a build; `undefined` if it is to be left out. */
async function toolchainFor(build, plain) {
  const building = sharesMemory(build) ? await threadsToolchain(plain) : await stdToolchain(plain);
  if (!building && sharesMemory(build)) return undefined;
  if (!building) {
    console.log(
      `  ${build.name}: larger than it could be, without \`rustup component add rust-src\``,
    );
    return plain;
  }
  return {
    ...building,
    args: [...building.args, ...SMALL_STD],
    flags: isSmall(build) ? SMALL_FLAGS : [],
  };
}

const EMPTY_MODULE = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00);

/** What stands in for a build that was left out, so that bundlers find a file. */
function writeAbsent({ name }) {
  const folder = folderOf(name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const types = 'export * from "../full/lacuna_wasm.js";\n';
  writeFileSync(join(folder, "lacuna_wasm.js"), "export default undefined;\n");
  writeFileSync(join(folder, "lacuna_wasm_bg.wasm"), EMPTY_MODULE);
  writeFileSync(
    join(folder, "lacuna_wasm.d.ts"),
    `${types}export { default } from "../full/lacuna_wasm.js";\n`,
  );
}

function inputHash(build) {
  const without = measures(build) ? ["cli"] : ["cli", "bench"];
  const rooms = readdirSync(inside("crates")).filter((room) => !without.includes(room));
  const crates = rooms.flatMap((room) =>
    ["Cargo.toml", "build.rs", "src"].map((part) => inside("crates", room, part)),
  );
  const inputs = [
    ...crates,
    inside("Cargo.toml"),
    inside("Cargo.lock"),
    inside("scripts", "lib", "wasm.mjs"),
    inside("shaders"),
    inside("scripts", "bindgen"),
    ...SHAPERS,
  ];
  return hashOf(inputs, [
    ...FLAGS,
    ...THREAD_FLAGS,
    ...SMALL_FLAGS,
    ...SMALL_STD,
    ...Object.values(OPTIMISER).flat(),
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
    build.profile ?? "web",
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
        CARGO_ENCODED_RUSTFLAGS: [...build.flags, ...(toolchain.flags ?? [])].join("\x1f"),
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
    [compiled(build), inside("scripts", "bindgen"), ...SHAPERS],
    [
      `optimise ${!skipsOptimiser()}`,
      ...OPTIMISER[isSmall(build) ? "small" : "fast"],
      ...[...ALIKE, ...ORDER, ...SIZE_POWERS].map(String),
    ],
  );
  if (isFresh(step, hash, [product(name)])) return;
  markStale(step);
  const folder = folderOf(name);
  rmSync(folder, { recursive: true, force: true });
  // The package hands the small module over, and has its bindings within another file.
  await run(BINDGEN, [
    compiled(build),
    folder,
    ...(isSmall(build) ? ["--module-handed-over"] : []),
  ]);
  if (!skipsOptimiser()) await optimise(build);
  if (isSmall(build)) {
    packTables(folder);
    // What tables left empty needs no bytes.
    if (!skipsOptimiser()) await wasmOpt(product(name), ["--memory-packing"], sharesMemory(build));
    const bindings = join(folder, "lacuna_wasm.js");
    shortenImports(product(name), bindings);
    await leanBindings(bindings);
  }
  markFresh(step, hash);
}

// Inlining makes functions fewer, but all of them together larger once they are packed. That
// nothing lies in the first kilobyte of memory is so: it is the last of the stack. Control
// flow made anew from flat code packs better than what the compiler wrote.
const OPTIMISER = {
  fast: ["-O3", "-ocimfs", "10"],
  small: [
    ...["-O1", "--flatten", "--rereloop", "-O1", "--gufa-optimizing", "-Os"],
    ...["--flatten", "--rereloop", "-Os", "-Os", "-ocimfs", "4", "-aimfs", "2", "-lmu"],
    ...["--merge-blocks", "--code-folding", "--merge-locals", "--coalesce-locals-learning"],
    ...["--reorder-locals", "--dealign"],
  ],
};

// Accesses to memory that all say the same of their alignment pack better; no engine heeds that,
// but where memory is shared atomic ones have to say what they are.
const ALIKE = ["--merge-locals", "--coalesce-locals-learning", "--dealign"];

/** How functions may be weighed for their order: which way packs best is a matter of luck. */
const SIZE_POWERS = [0.85, 0.65, 0.7, 0.75, 0.78, 0.8, 0.83, 0.87, 0.9, 0.93, 0.95, 0.97, 1];

/** Puts functions into the order of their names, and takes the names away. */
const ORDER = [
  ...["--reorder-functions-by-name", "--strip-debug", "--reorder-locals"],
  ...["--strip-producers", "--strip-target-features"],
];

async function optimise(build) {
  const { name } = build;
  console.log(`  ${name}: optimising (LACUNA_SKIP_OPT=1 leaves this out)`);
  const shared = sharesMemory(build);
  const passes = OPTIMISER[isSmall(build) ? "small" : "fast"];
  await wasmOpt(product(name), [...passes, ...(shared ? [] : ALIKE)], shared);
  // What is only measured is never packed.
  if (measures(build)) return;
  await order(product(name), isSmall(build) ? SIZE_POWERS : SIZE_POWERS.slice(0, 1), shared);
}

/** Orders a module's functions in several ways, and leaves the one that packs best. */
async function order(path, sizePowers, shared) {
  const unordered = readFileSync(path);
  let best;
  for (const power of sizePowers) {
    writeFileSync(path, unordered);
    nameByLikeness(path, power);
    await wasmOpt(path, ORDER, shared);
    const ordered = readFileSync(path);
    const size = gzipSync(ordered, { level: 9 }).length;
    if (best === undefined || size < best.size) best = { size, ordered };
  }
  writeFileSync(path, best.ordered);
}

async function wasmOpt(path, passes, shared) {
  const features = [
    "simd",
    "bulk-memory",
    "nontrapping-float-to-int",
    "sign-ext",
    "mutable-globals",
    "reference-types",
    "multivalue",
    ...(shared ? ["threads"] : []),
  ];
  const temporary = `${path}.optimised`;
  await run(process.execPath, [
    inside("node_modules", "binaryen", "bin", "wasm-opt"),
    ...passes,
    ...features.map((feature) => `--enable-${feature}`),
    path,
    "-o",
    temporary,
  ]);
  renameSync(temporary, path);
}

function report({ name }) {
  const bytes = readFileSync(product(name));
  const kilobytes = (count) => `${Math.round(count / 1000)} KB`;
  console.log(
    `  ${name}: ${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes, { level: 9 }).length)} gzipped`,
  );
}
