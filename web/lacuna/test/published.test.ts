/** The package as it is published: what is in it, how large it is, who can import it. */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it, vi } from "vitest";

// Other programs are started.
vi.setConfig({ testTimeout: 60_000 });

const folder = fileURLToPath(new URL("..", import.meta.url));
const root = join(folder, "..", "..");
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

const run = (program: string, args: string[], cwd = folder): string =>
  execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** All that a module imports, itself included; what it imports when it runs as well. */
function graph(entry: string, seen = new Set<string>()): Set<string> {
  const path = join(folder, entry);
  if (seen.has(path)) return seen;
  seen.add(path);
  const imports = /(?:from|import|import\()\s*"(\.[^"]+)"/g;
  for (const [, specifier] of readFileSync(path, "utf8").matchAll(imports)) {
    graph(relative(folder, join(dirname(path), specifier ?? "")), seen);
  }
  return seen;
}

const packed = (paths: Iterable<string>): number =>
  [...paths].reduce((sum, path) => sum + gzipSync(readFileSync(path), { level: 9 }).length, 0);

it("keeps the grammar door within 400 KB, packed, without the engine's parts", () => {
  const modules = graph("dist/grammar/index.js");
  const wasm = join(folder, "wasm/grammar/lacuna_wasm_bg.wasm");
  const bytes = packed([...modules, wasm]);
  console.log(`lacuna-lm/grammar: ${Math.round(bytes / 1000)} KB gzipped`);
  expect(bytes).toBeLessThanOrEqual(400_000);
  const names = [...modules].map((path) => relative(folder, path));
  expect(names.filter((name) => /worker|engine|wasm\/(full|threads)/.test(name))).toEqual([]);
  const module = new WebAssembly.Module(readFileSync(wasm));
  const imported = WebAssembly.Module.imports(module).map(({ name }) => name);
  expect(imported.filter((name) => /gpu/i.test(name))).toEqual([]);
});

it("keeps graphics cards and tokenizers out of the grammar door", () => {
  const tree = ["tree", "--locked", "--package", "lacuna-wasm", "--no-default-features"];
  const flat = ["--edges", "normal", "--prefix", "none", "--format", "{p}"];
  const lines = run("cargo", [...tree, ...flat, "--target", "wasm32-unknown-unknown"], root);
  const crates = new Set(lines.split("\n").map((line) => line.split(" ")[0] ?? ""));
  expect(crates).toContain("lacuna-checker");
  const heavy = [...crates].filter((name) => /wgpu|naga|tokenizers|model|gpu|decoder/.test(name));
  expect(heavy).toEqual([]);
});

it("keeps the full engine within 1.5 MB, packed, without a model", () => {
  const modules = new Set([...graph("dist/index.js"), ...graph("dist/worker/start.js")]);
  const loaded = [...modules].filter((path) => !path.includes("wasm/threads"));
  const bytes = packed([...loaded, join(folder, "wasm/full/lacuna_wasm_bg.wasm")]);
  console.log(`lacuna-lm: ${Math.round(bytes / 1000)} KB gzipped`);
  expect(bytes).toBeLessThanOrEqual(1_500_000);
});

it("keeps the hook for React under a kilobyte, packed, with nothing but React behind it", () => {
  const modules = [...graph("dist/react/index.js")];
  expect(modules.map((path) => relative(folder, path))).toEqual(["dist/react/index.js"]);
  expect(packed(modules)).toBeLessThanOrEqual(1000);
});

it("packs what its doors need, and nothing else", () => {
  const [{ files }] = JSON.parse(run("npm", ["pack", "--dry-run", "--json", "--silent"]));
  const paths = (files as { path: string }[]).map(({ path }) => path);
  const doors = Object.values(manifest.exports).flatMap((door) =>
    typeof door === "string" ? [door] : Object.values(door as Record<string, string>),
  );
  for (const door of doors) expect(paths).toContain(door.slice(2));
  const allowed = /^(dist\/.*\.(js|d\.ts)|wasm\/(full|grammar|threads)\/lacuna_wasm.*|[^/]*)$/;
  expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
  const top = paths.filter((path) => !path.includes("/")).sort();
  expect(top).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "package.json",
  ]);
  for (const path of paths) expect(existsSync(join(folder, path))).toBe(true);
});

/** What is imported for what it does. */
const WORKERS = ["./dist/worker/start.js", "./dist/worker/threads-helper.js"];

it("is a package of modules, of which workers' alone have effects, with types for every door", () => {
  expect(manifest).toMatchObject({ type: "module", sideEffects: WORKERS });
  for (const [name, door] of Object.entries(manifest.exports)) {
    if (typeof door === "object") expect(Object.keys(door as object)[0], name).toBe("types");
  }
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  run(process.execPath, [compiler, "--project", join(folder, "test", "consumer")]);
});

it("is published with provenance, and only as a version that its change log names", () => {
  const { version, publishConfig, repository } = manifest;
  expect(publishConfig).toEqual({ access: "public", provenance: true });
  // Provenance is refused unless this is the repository that it was built in.
  expect(repository).toMatchObject({ type: "git", directory: "web/lacuna" });
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(readFileSync(join(folder, "CHANGELOG.md"), "utf8")).toContain(`\n## ${version}\n`);
  const env = { ...process.env, GITHUB_ACTIONS: "", ACTIONS_ID_TOKEN_REQUEST_URL: "" };
  const script = join(root, "scripts", "publish.mjs");
  const { status, stderr } = spawnSync(process.execPath, [script, "--publish"], { env });
  expect(status).toBe(1);
  expect(String(stderr)).toContain("id-token: write");
});

it("has the grammar door imported by Node as it is", () => {
  const script = `
    import { compileGrammar, validate } from "lacuna-lm/grammar";
    const grammar = await compileGrammar({ regex: "(ab)+" });
    console.log(grammar.witness(["aba", null]));
    console.log((await validate({ gbnf: "root ::= (" })).diagnostics[0].line);
  `;
  expect(run(process.execPath, ["--input-type=module", "--eval", script], root)).toBe("abab\n1\n");
});
