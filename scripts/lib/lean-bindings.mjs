// Bindings as they are run, without what serves engines that lack what the module itself
// needs: whoever has its SIMD has finalization registries. Texts are encoded as a whole, and not
// letter by letter in place, which is sooner for long ones only. Modules come by URL, as bytes or
// compiled; warnings of other calls are not needed.

import { readFileSync, writeFileSync } from "node:fs";

/** What is left out, and what stands in its place. */
const NEEDLESS = [
  [/\(typeof FinalizationRegistry === 'undefined'\)\s*\? \{[^}]*\}[^}]*\}[^}]*\}\s*: /g, ""],
  [/if \(!\('encodeInto' in cachedTextEncoder\)\) \{.*?\n\}\n/gs, ""],
  [/if \(realloc === undefined\) \{(.*?)\n {4}\}\n.*?(?=\n\}\n)/s, "$1"],
  [/, wasm\.__wbindgen_realloc\)/g, ")"],
  [/const validResponse = expectedResponseType\(module\.type\);\s*if \(validResponse && /, "if ("],
  [/\n {4}function expectedResponseType\(type\) \{.*?\n {4}\}\n/s, "\n"],
  [
    /if \(typeof module_or_path === 'string' .*?instanceof URL\)\) \{/,
    "if (module_or_path instanceof URL) {",
  ],
  ["typeof Response === 'function' && ", ""],
  [/failed to fetch Wasm: \$\{module\.status\} .*?`/, `\${module.url}: \${module.status}\``],
  [/__destroy_into_raw/g, "__end"],
  [/__wbg_ptr/g, "__at"],
  [/if \(Symbol\.dispose\) .*;\n/g, ""],
  [/\n *_assertClass\(.*\);/g, ""],
];

/** The same of what not all bindings have: those of shared memory do without some. */
const PERHAPS = [
  [
    /if \(Object\.getPrototypeOf\(module_or_path\) === Object\.prototype\) (\{.*?\}) else \{.*?\n {8}\}/s,
    "$1",
  ],
  [
    /cached(\w+)\.buffer\.detached === true \|\| \(cached\1\.buffer\.detached === undefined && (cached\1\.buffer !== wasm\.memory\.buffer)\)/g,
    "$2",
  ],
];

/** Makes the bindings in a file shorter. */
export async function leanBindings(path) {
  const { transform } = await import("esbuild");
  let bindings = readFileSync(path, "utf8");
  for (const [needless, instead] of NEEDLESS) {
    const shorter = bindings.replace(needless, instead);
    if (shorter === bindings) throw new Error(`the bindings have nothing like ${needless}`);
    bindings = shorter;
  }
  for (const [needless, instead] of PERHAPS) bindings = bindings.replace(needless, instead);
  const { code } = await transform(bindings, { minify: true, format: "esm", drop: ["console"] });
  writeFileSync(path, code);
}
