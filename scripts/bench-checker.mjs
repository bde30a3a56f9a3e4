// `npm run bench:checker`: the checker in WebAssembly beside the native one. The canvases
// of `cargo bench -p lacuna-published`, with the vocabulary of the model that ships, are
// checked by `lacuna check` and by the npm package's grammar engine in Node, in turns;
// prints Markdown. `--cases N` takes so many canvases of each workload, `--built` takes
// what was last built.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { nodePackages } from "./lib/node-packages.mjs";
import { npmPackage } from "./lib/npm-package.mjs";
import { inside } from "./lib/paths.mjs";
import { main, SetupError, stage } from "./lib/report.mjs";
import { capture } from "./lib/run.mjs";
import { wasm } from "./lib/wasm.mjs";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "12" },
    built: { type: "boolean", default: false },
  },
});

const SOURCES = [
  ["C++", "grammars/cpp.lark"],
  ["JSON", "grammars/json.lark"],
  ["SMILES", "grammars/smiles.lark"],
];
const MASKS = ["block", "token", "span"];
const TOKENIZER = "models/lacuna-mini/tokenizer.json";

await main(async () => {
  if (!values.built) {
    await stage("node packages", nodePackages);
    await stage("engine (WebAssembly)", wasm);
    await stage("npm package", npmPackage);
  }
  const { compileGrammar, Vocabulary } = await import(
    inside("web", "lacuna", "dist", "grammar", "index.js")
  );
  const read = (...path) => readFileSync(inside(...path), "utf8");
  const config = JSON.parse(read("models", "lacuna-mini", "config.json"));
  const vocabulary = await Vocabulary.fromTokenizer(read(...TOKENIZER.split("/")), config);
  console.log("| workload | canvases | native, median | WebAssembly, median | all of them, × |");
  console.log("|---|--:|--:|--:|--:|");
  for (const [name, file] of SOURCES) {
    const grammar = await compileGrammar({ lark: read(...file.split("/")) }, { vocabulary });
    for (const masks of MASKS) {
      const asked = await canvases(name, masks);
      // Those that neither decides within its budget say nothing of speed.
      const answers = await natively(file, asked);
      const isDecided = (_, at) => answers[at].error === undefined;
      const lines = asked.filter(isDecided);
      const native = answers.filter(isDecided);
      const ours = lines.map(({ segments, gaps }) => {
        const started = performance.now();
        const completable = grammar.canComplete(segments, { gaps });
        return { completable, micros: 1000 * (performance.now() - started) };
      });
      const differs = ours.filter((one, at) => one.completable !== native[at].completable);
      if (differs.length > 0) {
        throw new SetupError(`${name} ${masks}: ${differs.length} answers differ`);
      }
      console.log(row(`${name} ${masks}`, native, ours));
    }
    grammar.dispose();
  }
});

async function canvases(name, masks) {
  const words = ["-p", "lacuna-published", "--example", "workloads", "--", name, masks];
  const all = ["run", "--release", "-q", ...words, values.cases, "--cells", "--shipped"];
  return objects(await output("cargo", all));
}

async function natively(file, canvases) {
  const input = canvases.map((line) => JSON.stringify(line)).join("\n");
  const words = ["check", "--grammar", file, "--tokenizer", TOKENIZER];
  const all = ["run", "--release", "-q", "-p", "lacuna-cli", "--", ...words];
  return objects(await output("cargo", all, input));
}

/** What a program prints; it may end with 1 and say in its lines what it could not do. */
async function output(program, args, input) {
  const { status, output } = await capture(program, args, { input });
  if (status !== 0 && !output.startsWith("{")) {
    throw new SetupError(`\`${[program, ...args].join(" ")}\` ended with ${status}:\n${output}`);
  }
  return output;
}

function objects(text) {
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line));
}

function row(name, native, ours) {
  const sum = (all) => all.reduce((total, { micros }) => total + micros, 0);
  const median = (all) => {
    const sorted = all.map(({ micros }) => micros).sort((a, b) => a - b);
    return `${Number((sorted[sorted.length >> 1] / 1000).toPrecision(2))} ms`;
  };
  const ratio = (sum(ours) / sum(native)).toPrecision(2);
  return `| ${name} | ${ours.length} | ${median(native)} | ${median(ours)} | ${ratio} |`;
}
