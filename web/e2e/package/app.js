// What an app does with the package: the same file for every bundler, and for none.

import { createEngine, forgetModels } from "lacuna-lm";
import { compileGrammar, loadGrammarEngine } from "lacuna-lm/grammar";

// Only a bundler that leaves addresses alone has to be told where files are.
const { grammarUrl, ...urls } = globalThis.lacunaUrls ?? {};
await loadGrammarEngine({ wasmUrl: grammarUrl });
const grammar = await compileGrammar({ gbnf: 'root ::= "(" [0-9]+ ")"' });

/** What was found out, for the test to look at. */
const report = { witness: grammar.witness(["(4", null]), explained: grammar.explain(["(x"]).why };
window.report = report;

const model = new URL("/models/lacuna-small/", location.href);
const engine = createEngine({ model, device: "cpu", ...urls });
window.engine = engine;
window.grammar = grammar;
window.forgetModels = forgetModels;
/** Makes another engine. */
window.createEngine = (options) => createEngine({ model, device: "cpu", ...urls, ...options });

const schema = {
  type: "object",
  properties: { artist: { type: "string", "x-spanOf": "request" } },
  required: ["artist"],
  additionalProperties: false,
};

/** Writes a text; the result, or the kind of the error. */
window.write = async (options = {}, by = engine) => {
  const grammar = { jsonSchema: schema };
  const prompt = "play some jazz by Nina Simone";
  try {
    const run = by.generate({ prompt, grammar, length: 24, steps: 8, ...options });
    let events = 0;
    for await (const event of run) events += event.type === "commit" ? 1 : 0;
    const { value, outcome, warnings } = await run.result;
    return { value, outcome, events, warnings };
  } catch (error) {
    return { kind: error.kind, message: error.message };
  }
};

window.ready = true;
