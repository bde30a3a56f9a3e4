// The grammar door, as any runtime imports it.

import { compileGrammar, validate } from "lacuna-lm/grammar";

const grammar = await compileGrammar({ jsonSchema: { type: "array", items: { type: "integer" } } });
const { diagnostics } = await validate({ gbnf: "root ::= (" });
console.log(grammar.witness(["[1,", null, "3]"]), grammar.canComplete(["[x"]), diagnostics[0].line);
