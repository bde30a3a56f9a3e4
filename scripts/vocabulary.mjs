// `npm run vocabulary`: writes `.lacuna/cl100k_base/tokenizer.json` and `config.json`, a
// vocabulary of 100,256 tokens for the checker's benchmarks and for `lacuna check`. The
// tokens come from the npm package `js-tiktoken` (MIT), of the version that the lock file
// beside its `package.json` names. An argument names another of its vocabularies.

import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { inside } from "./lib/paths.mjs";
import { main, stage } from "./lib/report.mjs";
import { run } from "./lib/run.mjs";

const name = process.argv[2] ?? "cl100k_base";
const FOLDER = inside("scripts", "vocabulary");

/** The alphabet in which `tokenizer.json` spells bytes: GPT-2's. */
function alphabet() {
  const readable = (byte) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(readable(byte) ? byte : next++),
  );
}

/** The tokens by rank: each line is `! FIRST TOKEN TOKEN …`, in base64. */
function tokens(ranks) {
  const found = [];
  for (const line of ranks.split("\n").filter((line) => line !== "")) {
    const [, first, ...encoded] = line.split(" ");
    encoded.forEach((token, index) => {
      found[Number(first) + index] = Buffer.from(token, "base64");
    });
  }
  return found;
}

await main(async () => {
  await stage("js-tiktoken", () =>
    run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: FOLDER,
      mend: "check that the npm registry can be reached, then run the command again",
    }),
  );
  await stage(`tokenizer.json of ${name}`, async () => {
    const path = inside("scripts", "vocabulary", "node_modules", "js-tiktoken", "dist", "ranks");
    const { default: source } = await import(pathToFileURL(`${path}/${name}.js`).href);
    const spelled = alphabet();
    const found = tokens(source.bpe_ranks);
    const vocab = {};
    found.forEach((token, id) => {
      vocab[Array.from(token, (byte) => spelled[byte]).join("")] = id;
    });
    const special = ["<|end|>", "<|mask|>"].map((content, index) => ({
      id: found.length + index,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    }));
    const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true };
    const tokenizer = {
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: special,
      normalizer: null,
      pre_tokenizer: { ...byteLevel, use_regex: false },
      post_processor: null,
      decoder: { ...byteLevel, use_regex: false },
      model: { type: "BPE", vocab, merges: [] },
    };
    const folder = inside(".lacuna", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/tokenizer.json`, JSON.stringify(tokenizer));
    const ids = { eos_token_id: [special[0].id], mask_token_id: special[1].id };
    writeFileSync(`${folder}/config.json`, `${JSON.stringify(ids)}\n`);
    console.log(`${found.length} tokens: .lacuna/${name}/tokenizer.json`);
  });
});
