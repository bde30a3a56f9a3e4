/** Completion in a JSON Schema: where references may lead, and the names of keywords. */

import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";

/** Keywords that say something here. */
const KEYWORDS = [
  ..."$ref $defs $schema $id type const enum anyOf allOf oneOf not if then else".split(" "),
  ..."properties required additionalProperties patternProperties propertyNames".split(" "),
  ..."minProperties maxProperties items prefixItems contains minItems maxItems".split(" "),
  ..."minContains maxContains uniqueItems dependentRequired dependentSchemas".split(" "),
  ..."minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split(" "),
  ..."minLength maxLength pattern format title description default examples".split(" "),
  ..."x-spanOf x-oneOf x-ignoreCase x-task x-assertFormats".split(" "),
];

/** JSON pointers to what is defined in a schema's text. */
export function definedIn(text: string): string[] {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch {
    // While it is being typed: by the look of it.
    const found = /"(\$defs|definitions)"\s*:\s*\{([\s\S]*)/.exec(text);
    const names = found?.[2]?.matchAll(/"([^"\\]+)"\s*:\s*\{/g) ?? [];
    return Array.from(names, (match) => `#/${found?.[1]}/${escaped(match[1] ?? "")}`);
  }
  if (typeof schema !== "object" || schema === null) return [];
  return ["$defs", "definitions"].flatMap((part) => {
    const defined = (schema as Readonly<Record<string, unknown>>)[part];
    if (typeof defined !== "object" || defined === null) return [];
    return Object.keys(defined).map((name) => `#/${part}/${escaped(name)}`);
  });
}

const escaped = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Completes the values of `$ref`, and keywords where a name begins. */
export function completeSchema(context: CompletionContext): CompletionResult | null {
  const reference = context.matchBefore(/"\$ref"\s*:\s*"[^"]*/);
  if (reference) {
    const from = reference.from + reference.text.lastIndexOf('"') + 1;
    const options = ["#", ...definedIn(context.state.doc.toString())];
    return { from, options: options.map((label) => ({ label, type: "variable" })) };
  }
  const name = context.matchBefore(/[{,]\s*"[\w$-]*/);
  if (!name) return null;
  const from = name.from + name.text.lastIndexOf('"') + 1;
  const options = KEYWORDS.map((label) => ({ label, type: "keyword" }));
  return { from, options, validFor: /^[\w$-]*$/ };
}
