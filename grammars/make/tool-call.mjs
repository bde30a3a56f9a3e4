/**
 * A schema of tool calls, from a list of functions with JSON Schema parameters:
 *
 *     node grammars/make/tool-call.mjs FUNCTIONS.json > NAME.schema.json
 *
 * The list holds `{ name, description?, parameters? }`, each perhaps inside
 * `{ type: "function", function }`. A call is `{"name": …, "arguments": {…}}`.
 * `grammars/tool-call.schema.json` is made of `grammars/make/functions.json`.
 */

import { readFileSync } from "node:fs";
import { command } from "./command.mjs";

const NO_PARAMETERS = { type: "object", additionalProperties: false };

const PROSE =
  'A call of one of the functions under $defs, as {"name": …, "arguments": {…}}. For other ' +
  "functions: node grammars/make/tool-call.mjs FUNCTIONS.json. Left out: several calls at once; " +
  "what the parameters' schemas cannot say, such as that a day exists in its month.";

/** Keywords whose values are data, in which a `$ref` is no reference. */
const DATA = new Set(["const", "enum", "default", "examples"]);

/** Keywords whose values are schemas by names that the user chose. */
const NAMED = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** A part of a JSON pointer in a URI's fragment. */
const escaped = (name) =>
  encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1")).replaceAll("%24", "$");

/** The schema with its references beginning at another root. */
function moved(schema, root) {
  if (Array.isArray(schema)) return schema.map((part) => moved(part, root));
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (DATA.has(keyword)) return [keyword, value];
    if (keyword === "$ref") return [keyword, movedReference(value, root)];
    if (!NAMED.has(keyword)) return [keyword, moved(value, root)];
    const named = Object.entries(value).map(([name, part]) => [name, moved(part, root)]);
    return [keyword, Object.fromEntries(named)];
  });
  return Object.fromEntries(entries);
}

function movedReference(reference, root) {
  if (reference === "#" || String(reference).startsWith("#/")) return root + reference.slice(1);
  throw new Error(`the reference ${JSON.stringify(reference)} leads out of its function`);
}

function call({ name, description, parameters }) {
  const root = `#/$defs/${escaped(name)}/properties/arguments`;
  const { $schema: _, ...schema } = moved(parameters ?? NO_PARAMETERS, root);
  return {
    ...(description !== undefined && { description }),
    type: "object",
    properties: { name: { const: name }, arguments: schema },
    required: ["name", "arguments"],
    additionalProperties: false,
  };
}

/** The schema of calls of these functions. */
export function toolCallSchema(list) {
  if (!Array.isArray(list) || list.length === 0) throw new Error("expected a list of functions");
  const functions = list.map((entry) => entry?.function ?? entry);
  const names = functions.map((entry) => entry?.name);
  const wrong = names.find((name, at) => typeof name !== "string" || names.indexOf(name) < at);
  if (wrong !== undefined || names.includes(undefined)) {
    throw new Error(`a function's name is missing or given twice: ${JSON.stringify(wrong)}`);
  }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Tool call",
    description: PROSE,
    anyOf: names.map((name) => ({ $ref: `#/$defs/${escaped(name)}` })),
    $defs: Object.fromEntries(functions.map((entry) => [entry.name, call(entry)])),
  };
}

const USAGE = "node grammars/make/tool-call.mjs FUNCTIONS.json > NAME.schema.json";

command(import.meta.url, USAGE, ([file]) => {
  const schema = toolCallSchema(JSON.parse(readFileSync(file, "utf8")));
  return `${JSON.stringify(schema, null, 2)}\n`;
});
