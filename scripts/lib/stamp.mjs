// Stamps: a step is skipped while the hash of what it reads is the one that
// was written down when it last succeeded, and what it made is still there.

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { inside, root } from "./paths.mjs";

/** A hash over files and folders (whole trees) and some further words. */
export function hashOf(paths, words = []) {
  const hash = createHash("sha256");
  for (const word of words) hash.update(`word ${word}\n`);
  for (const path of paths.flatMap(filesUnder).sort()) {
    const bytes = readFileSync(path);
    hash.update(`file ${relative(root, path)} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}

function filesUnder(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) =>
    name === "node_modules" || name === "target" ? [] : filesUnder(join(path, name)),
  );
}

const stampFile = (name) => inside("target", "stamps", name);

/** Whether the step `name` last succeeded with this hash and its products stand. */
export function isFresh(name, hash, products) {
  const file = stampFile(name);
  if (!existsSync(file) || readFileSync(file, "utf8") !== hash) return false;
  return products.every((product) => existsSync(product));
}

/** Notes that the step `name` has succeeded with this hash. */
export function markFresh(name, hash) {
  const file = stampFile(name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, hash);
}

/** Notes that the step `name` is under way: what it made before counts no more. */
export function markStale(name) {
  rmSync(stampFile(name), { force: true });
}
