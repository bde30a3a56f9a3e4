// `npm run bench:checker`: the checker in WebAssembly beside the native one. The canvases
// of `cargo bench -p lacuna-published`, with the vocabulary of the model that ships, are
// checked by `lacuna check`, and in Node by the playground's engine, which is built for speed
// as the one that decodes is, and by the npm package's grammar engine, which is built for size;
// prints Markdown.
// `--cases N` takes so many canvases of each workload, `--built` takes what was last built.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nodePackages } from "./lib/node-packages.mjs";
import { npmPackage } from "./lib/npm-package.mjs";
import { inside } from "./lib/paths.mjs";
import { main, optionsOf, SetupError, stage } from "./lib/report.mjs";
import { capture } from "./lib/run.mjs";
import { wasm } from "./lib/wasm.mjs";

const values = optionsOf({
  cases: { type: "string", default: "12" },
  built: { type: "boolean", default: false },
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
  const playground = inside("web", "playground", "pkg");
  const fast = await import(join(playground, "lacuna_wasm.js"));
  const module = readFileSync(join(playground, "lacuna_wasm_bg.wasm"));
  await fast.default({ module_or_path: module });
  const read = (...path) => readFileSync(inside(...path), "utf8");
  const config = JSON.parse(read("models", "lacuna-mini", "config.json"));
  const vocabulary = await Vocabulary.fromTokenizer(read(...TOKENIZER.split("/")), config);
  const heads = ["workload", "canvases", "native, median"];
  for (const engine of ["for speed", "for size"])
    heads.push(`${engine}, median`, "×, median", "×, all");
  console.log(`| ${heads.join(" | ")} |`);
  console.log("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
  for (const [name, file] of SOURCES) {
    const lark = read(...file.split("/"));
    const engines = {
      fast: async (text) => {
        const table = tokenTable(fast, vocabulary, config);
        const grammar = fast.Grammar.compile("lark", text, {}, table);
        const check = ({ segments, gaps }) => grammar.check(segments, gaps);
        return { check, dispose: () => grammar.free() };
      },
      small: async (text) => {
        const grammar = await compileGrammar({ lark: text }, { vocabulary });
        const check = ({ segments, gaps }) => grammar.check(segments, { gaps });
        return { check, dispose: () => grammar.dispose() };
      },
    };
    for (const masks of MASKS) {
      const asked = await canvases(name, masks);
      // Those that neither decides within its budget say nothing of speed.
      const answers = await natively(file, asked);
      const isDecided = (_, at) => answers[at].error === undefined;
      const lines = asked.filter(isDecided);
      const native = answers.filter(isDecided);
      const ours = [];
      for (const engine of Object.values(engines)) {
        // Another grammar, alike, so that the module is machine code as it is in a page's
        // worker, and this grammar's memos are empty as natively.
        await answered(engine, `${lark}\n// again`, lines);
        ours.push(await answered(engine, lark, lines));
      }
      for (const all of ours) {
        const differs = all.filter((one, at) => one.completable !== native[at].completable);
        if (differs.length > 0) {
          throw new SetupError(`${name} ${masks}: ${differs.length} answers differ`);
        }
      }
      console.log(row(`${name} ${masks}`, native, ours));
    }
  }
});

async function answered(engine, text, lines) {
  const { check, dispose } = await engine(text);
  const answers = lines.map(check);
  dispose();
  return answers;
}

/** The same vocabulary for another module. */
function tokenTable({ TokenTable }, vocabulary, { eos_token_id, mask_token_id }) {
  const tokens = Array.from({ length: vocabulary.size }, (_, id) => vocabulary.bytes(id) ?? []);
  const lengths = Uint32Array.from(tokens, (token) => token.length);
  const bytes = new Uint8Array(tokens.flatMap((token) => [...token]));
  return new TokenTable(bytes, lengths, [eos_token_id].flat(), mask_token_id);
}

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
  const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
  const sum = (all) => all.reduce((total, { micros }) => total + micros, 0);
  const times = (all) => {
    const each = all.map(({ micros }, at) => micros / Math.max(native[at].micros, 1));
    return [median(each), sum(all) / sum(native)].map((ratio) => ratio.toPrecision(2));
  };
  const typical = (all) => {
    const milliseconds = median(all.map(({ micros }) => micros / 1000));
    return `${Number(milliseconds.toPrecision(2))} ms`;
  };
  const engines = ours.flatMap((all) => [typical(all), ...times(all)]);
  return `| ${[name, native.length, typical(native), ...engines].join(" | ")} |`;
}
