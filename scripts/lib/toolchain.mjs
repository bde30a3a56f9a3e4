// Which Rust builds for the browser.
//
// rustup's own target where rustup has it or can fetch it. Where it cannot (a
// closed network that only has package registries), Debian's compiler, which
// builds the standard library from source.

import { existsSync } from "node:fs";
import { SetupError } from "./report.mjs";
import { capture, which } from "./run.mjs";
import { installSystemPackages } from "./system-packages.mjs";

const TARGET = "wasm32-unknown-unknown";
const BUILD_STD = ["-Zbuild-std=std,panic_abort"];
const RUSTUP_LIMIT = 180_000;
const DEBIAN = {
  packages: ["rustc-web", "cargo-web", "rust-web-src", "lld-19"],
  programs: ["/usr/bin/rustc", "/usr/bin/cargo", "/usr/bin/wasm-ld-19"],
};

/**
 * `{ name, cargo, args, env }` of a cargo that builds for the browser.
 * `LACUNA_WASM_TOOLCHAIN` (`rustup` or `debian`) takes the choice away. `RUSTC_BOOTSTRAP` lets a
 * stable compiler take the unstable options of the builds.
 */
export async function wasmToolchain() {
  const wanted = process.env.LACUNA_WASM_TOOLCHAIN;
  if (wanted !== "debian" && (await rustupHasTarget())) {
    return { name: "rustup", cargo: "cargo", args: [], env: { RUSTC_BOOTSTRAP: "1" } };
  }
  if (wanted === "rustup") {
    throw new SetupError(`rustup has no ${TARGET}`, `rustup target add ${TARGET}`);
  }
  await requireDebianRust();
  return {
    name: "debian",
    cargo: "/usr/bin/cargo",
    args: BUILD_STD,
    env: {
      RUSTC: "/usr/bin/rustc",
      RUSTC_BOOTSTRAP: "1",
      RUSTUP_TOOLCHAIN: undefined,
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: "wasm-ld-19",
    },
  };
}

/**
 * The same for memory that workers share, which takes a standard library built
 * for it: `plain`, which `wasmToolchain` gave, with its sources. `undefined`,
 * after a word why, where there are none: the page works without.
 */
export async function threadsToolchain(plain) {
  if (process.env.LACUNA_SKIP_THREADS === "1") {
    console.log("  threads: left out, as LACUNA_SKIP_THREADS asks");
    return undefined;
  }
  const toolchain = await stdToolchain(plain);
  if (!toolchain) console.log("  threads: left out; they need `rustup component add rust-src`");
  return toolchain;
}

/** `plain` with the standard library's sources, to build it from; `undefined` without. */
export async function stdToolchain(plain) {
  if (plain.name === "debian") return plain;
  if (!(await rustupHasSources())) return undefined;
  return { ...plain, args: BUILD_STD };
}

/** Fails with what to do if there is no Rust at all. */
export function requireRust() {
  if (which("cargo")) return;
  throw new SetupError(
    "there is no `cargo` on PATH",
    "install Rust with rustup (rustup.rs), then open a new shell",
  );
}

async function rustupHasTarget() {
  if (!which("rustup")) return false;
  const { output } = await capture("rustup", ["target", "list", "--installed"]);
  if (output.split("\n").includes(TARGET)) return true;
  console.log(`  asking rustup for ${TARGET}`);
  const { status } = await capture("rustup", ["target", "add", TARGET], { limit: RUSTUP_LIMIT });
  if (status !== 0) console.log("  rustup cannot add it here; taking Debian's compiler instead");
  return status === 0;
}

async function rustupHasSources() {
  const { output } = await capture("rustup", ["component", "list", "--installed"]);
  if (output.split("\n").includes("rust-src")) return true;
  console.log("  asking rustup for rust-src");
  const { status } = await capture("rustup", ["component", "add", "rust-src"], {
    limit: RUSTUP_LIMIT,
  });
  return status === 0;
}

async function requireDebianRust() {
  const { status } = await capture("dpkg", ["--status", ...DEBIAN.packages]);
  const present = status === 0 && DEBIAN.programs.every((program) => existsSync(program));
  const otherwise = `install Rust with rustup (rustup.rs), then: rustup target add ${TARGET}`;
  const why = "a Rust compiler for the browser";
  if (!present) await installSystemPackages(DEBIAN.packages, why, otherwise);
}
