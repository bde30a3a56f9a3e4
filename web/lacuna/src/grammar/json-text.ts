/** Schemas as the text of them; what is no JSON is refused, with its place. */

import { invalid } from "../fault.ts";

/** A schema's JSON. What has a `toJSON` is what that makes of it. */
export function jsonText(schema: unknown): string | undefined {
  const pointers = new Map<unknown, string>();
  return JSON.stringify(schema, function (this: unknown, key: string, value: unknown) {
    const within = pointers.get(this);
    const pointer =
      within === undefined ? "" : `${within}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const isLeftOut = value === undefined && !Array.isArray(this);
    const other = isLeftOut ? undefined : notJson(value);
    if (other) throw invalid(`The schema is no JSON at "${pointer}": ${other}`);
    pointers.set(value, pointer);
    return value;
  });
}

/** What a value is that is none of JSON's. */
function notJson(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : `${value}`;
    case "object":
      if (!value || Array.isArray(value) || isPlain(value)) return undefined;
      return value.constructor.name || "object";
    default:
      return typeof value;
  }
}

/** Whether an object is of no class, also in another window than this. */
function isPlain(value: object): boolean {
  const made: unknown = Object.getPrototypeOf(value);
  return !made || !Object.getPrototypeOf(made);
}
