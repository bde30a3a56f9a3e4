/** The value that a text stands for, and why its schema's validator refuses it. */

import { FAULT, LacunaError } from "../fault.ts";
import type { ReadGrammar } from "../grammar/source.ts";
import type { StandardIssue } from "../grammar/standard-schema.ts";
import { quotedList } from "../options.ts";

/** The value that a text of a grammar stands for. */
export async function readValue<Value>(
  { source, schema }: ReadGrammar<Value>,
  text: string,
): Promise<Value> {
  if (source.kind !== "jsonSchema") return text as Value;
  const value: unknown = JSON.parse(text);
  if (!schema) return value as Value;
  const result = await schema["~standard"].validate(value);
  if (!result.issues) return result.value;
  const message = refusal(JSON.parse(source.text), result.issues);
  throw new LacunaError({ kind: FAULT.refusedValue, message }, { cause: result.issues });
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * What is said where a validator refuses what its JSON Schema allows: that it asks for more,
 * or that a format at that place is none that the text was held to.
 */
function refusal(schema: Schema, issues: readonly StandardIssue[]): string {
  const reasons = issues.map(({ message, path = [] }) => {
    const at = keysOf(path).join(".");
    return at === "" ? message : `${at}: ${message}`;
  });
  const formats =
    schema["x-assertFormats"] === true
      ? []
      : issues.flatMap(({ path = [] }) => formatsAt(schema, schema, keysOf(path)));
  const why =
    formats.length === 0
      ? "it asks for more than its JSON Schema says"
      : `formats (${quotedList([...new Set(formats)])}) are held only if the schema has "x-assertFormats": true at its root`;
  return `The schema's validator refuses the value (${reasons.join("; ")}): ${why}.`;
}

const keysOf = (path: NonNullable<StandardIssue["path"]>): string[] =>
  path.map((part) => String(typeof part === "object" ? part.key : part));

/** Steps through references and alternatives that are taken. */
const MOST_STEPS = 32;

/** The formats that a schema names for the value at a path. */
function formatsAt(
  root: Schema,
  schema: unknown,
  path: readonly string[],
  steps = MOST_STEPS,
): string[] {
  if (typeof schema !== "object" || schema === null || steps === 0) return [];
  const { $ref, format, properties, additionalProperties, items, prefixItems, ...more } =
    schema as Schema;
  const within = (inner: unknown, path: readonly string[]) =>
    formatsAt(root, inner, path, steps - 1);
  const same = [more.anyOf, more.oneOf, more.allOf].flatMap((all) =>
    Array.isArray(all) ? all.flatMap((inner) => within(inner, path)) : [],
  );
  if (typeof $ref === "string") same.push(...within(referred(root, $ref), path));
  const [key, ...rest] = path;
  if (key === undefined) return typeof format === "string" ? [format, ...same] : same;
  const own = (all: unknown) => (Object.hasOwn(Object(all), key) ? Object(all)[key] : undefined);
  const part = own(properties) ?? own(prefixItems) ?? (/^\d+$/.test(key) ? items : undefined);
  return [...same, ...within(part ?? additionalProperties, rest)];
}

/** What a reference within a schema leads to. */
function referred(root: Schema, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  const keys = reference.split("/").slice(1);
  return keys.reduce<unknown>((schema, key) => {
    const name = decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~");
    return Object.hasOwn(Object(schema), name) ? Object(schema)[name] : undefined;
  }, root);
}
