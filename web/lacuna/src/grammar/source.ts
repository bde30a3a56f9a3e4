/** Grammars as they are handed over, and as the engine takes them. */

import { type Diagnostic, invalid, reading } from "../fault.ts";
import { jsonText } from "./json-text.ts";
import { isStandardSchema, type StandardOutput, type StandardSchema } from "./standard-schema.ts";

/** A JSON Schema: as an object, as its text, or as a validator that can be written as one. */
export type SchemaInput = StandardSchema | object | boolean | string;

/** A grammar in one of its dialects, or one that `compileGrammar` made. */
export type GrammarInput =
  | { readonly jsonSchema: SchemaInput }
  | { readonly gbnf: string }
  | { readonly lark: string }
  | { readonly regex: string }
  | ReadGrammar;

/** A grammar whose text is at hand. */
export interface ReadGrammar<Value = unknown> {
  readonly source: GrammarSource;
  /** What is handed over with it. */
  readonly options: GrammarOptions;
  /** The validator that it came from. */
  readonly schema?: StandardSchema<unknown, Value> | undefined;
}

/**
 * What a text of a grammar stands for: what the validator gives, any JSON value, or the
 * text itself.
 */
export type ValueOf<Grammar> = Grammar extends { readonly jsonSchema: infer Schema }
  ? Schema extends StandardSchema
    ? StandardOutput<Schema>
    : unknown
  : Grammar extends ReadGrammar<infer Value>
    ? Value
    : string;

/** How a grammar text is written. */
export type GrammarKind = "jsonSchema" | "gbnf" | "lark" | "regex";

/** A grammar as the user wrote it. */
export interface GrammarSource {
  readonly kind: GrammarKind;
  readonly text: string;
}

/**
 * How a JSON Schema is taken. What is left out is as the purpose asks: a text to be
 * written has its properties in declared order and is compact, one to be judged may
 * have any order and any white space.
 */
export interface SchemaChoices {
  /** The order of an object's properties. */
  readonly order?: "declared" | "any";
  /** Where white space stands. */
  readonly whiteSpace?: "compact" | "any";
  /**
   * Each member and item on a line of its own, so many blanks deeper than what it
   * stands in, to a depth of 16; in place of `whiteSpace`.
   */
  readonly indent?: number;
  /** Steps that compiling may take, 4 million unless said otherwise; more are `too-much-work`. */
  readonly effort?: number;
  /** Other documents that references may lead to: their texts, by identifier. */
  readonly documents?: Readonly<Record<string, string>>;
}

/** What is handed over with a grammar. */
export interface GrammarOptions {
  /** Texts any run of whole words of which may stand in a slot, by name. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Literals that may stand in a slot, by name. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  /** Texts nested deeper do not belong. */
  readonly maxDepth?: number;
  /** Texts that do not match this regular expression as a whole do not belong. */
  readonly matching?: string;
  /** How a JSON Schema is taken. */
  readonly schema?: SchemaChoices;
  /** Compile a schema as for writing: declared order of properties, compact. */
  readonly writing?: boolean;
}

/** What a compiled grammar tells of itself. */
export interface GrammarInfo {
  /** What looks wrong with it although it can be used. */
  readonly warnings: readonly Diagnostic[];
  readonly rules: number;
  readonly terminals: number;
  readonly nonterminals: number;
  readonly productions: number;
  readonly lexerStates: number;
  readonly origin: GrammarOrigin;
}

/**
 * Where a compiled grammar came from: it was compiled now, or before in this page, or
 * it was in the browser's storage; `rebuilt` if what was there is of no use.
 */
export type GrammarOrigin = "compiled" | "memory" | "storage" | "rebuilt";

/** A grammar's text and dialect, whatever form it was handed over in. */
export function readGrammar<Grammar extends GrammarInput>(
  grammar: Grammar,
): ReadGrammar<ValueOf<Grammar>> {
  const input: GrammarInput = grammar;
  if (typeof input !== "object" || input === null) throw invalid(NO_GRAMMAR);
  if ("source" in input) return input as ReadGrammar<ValueOf<Grammar>>;
  const [kind, another] = KINDS.filter((kind) => kind in input);
  if (!kind || another) throw invalid(NO_GRAMMAR);
  if (kind === "jsonSchema") {
    const { jsonSchema } = input as { readonly jsonSchema: SchemaInput };
    const schema = isStandardSchema(jsonSchema)
      ? (jsonSchema as StandardSchema<unknown, ValueOf<Grammar>>)
      : undefined;
    const text = reading("The schema", () => schemaText(jsonSchema));
    if (text === undefined) throw invalid(NO_GRAMMAR);
    return { source: { kind: "jsonSchema", text }, options: {}, schema };
  }
  const text = (input as Partial<Record<typeof kind, string>>)[kind];
  if (typeof text !== "string") throw invalid(NO_GRAMMAR);
  return { source: { kind, text }, options: {} };
}

const KINDS = ["jsonSchema", "gbnf", "lark", "regex"] as const;

const NO_GRAMMAR = "A grammar is one of { jsonSchema }, { gbnf }, { lark }, { regex }, or compiled";

function schemaText(schema: SchemaInput): string | undefined {
  if (typeof schema === "string") return schema;
  return jsonText(isStandardSchema(schema) ? asJsonSchema(schema) : schema);
}

/** What a validator takes, as JSON Schema. */
function asJsonSchema(schema: StandardSchema): unknown {
  const { jsonSchema, vendor } = schema["~standard"];
  if (jsonSchema) return jsonSchema.input({ target: "draft-2020-12" });
  const { toJSONSchema } = schema as { toJSONSchema?: (options: { io: "input" }) => unknown };
  if (typeof toJSONSchema === "function") return toJSONSchema.call(schema, { io: "input" });
  throw invalid(`The ${vendor} schema gives no JSON Schema`);
}
