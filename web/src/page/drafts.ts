/** Schemas of old drafts, as the oldest draft says them that the validator knows. */

/** The draft that a schema names, or nothing. */
export function draftOf(schema: unknown): string {
  const named = (schema as { $schema?: unknown } | null)?.$schema;
  return typeof named === "string" ? named : "";
}

/** A schema, without the name of a draft that the validator does not know by it. */
export function newer(schema: unknown): object | boolean {
  if (typeof schema !== "object" || schema === null) return schema === true;
  const draft = draftOf(schema);
  if (!/draft-0[346]/.test(draft)) return schema;
  const { $schema, ...rest } = schema as Schema;
  return /draft-0[34]/.test(draft) ? (rewritten(rest) as object) : rest;
}

type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose values are data, in which nothing is a keyword. */
const DATA = new Set(["const", "enum", "default", "examples"]);

/** Keywords whose values are schemas by names that their author chose. */
const NAMED = new Set(["properties", "patternProperties", "definitions", "dependencies"]);

/** Bounds, and the flag that says of each whether the bound itself is out of bounds. */
const BOUNDS = [
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
] as const;

function rewritten(thing: unknown): unknown {
  if (Array.isArray(thing)) return thing.map(rewritten);
  if (typeof thing !== "object" || thing === null) return thing;
  const { id, ...schema } = { ...thing } as Record<string, unknown>;
  for (const [bound, flag] of BOUNDS) {
    const isExclusive = schema[flag];
    if (typeof isExclusive !== "boolean") continue;
    delete schema[flag];
    if (!isExclusive || schema[bound] === undefined) continue;
    schema[flag] = schema[bound];
    delete schema[bound];
  }
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (DATA.has(keyword)) return [keyword, value];
    if (!NAMED.has(keyword) || typeof value !== "object" || value === null)
      return [keyword, rewritten(value)];
    const named = Object.entries(value).map(([name, schema]) => [name, rewritten(schema)]);
    return [keyword, Object.fromEntries(named)];
  });
  return { ...(typeof id === "string" ? { $id: id } : {}), ...Object.fromEntries(entries) };
}
