/**
 * What others make of a text: the browser's JSON parser and ajv, never our own
 * checker.
 */

import { draftOf, newer } from "./drafts.ts";
import { placesOf } from "./spans.ts";

/** Whether a value that the schema binds to the request stands in it. */
export interface SpanNote {
  /** JSON pointer to the value. */
  readonly pointer: string;
  readonly value: string;
  readonly stands: boolean;
}

/** The judgement of a text. */
export interface Verdict {
  /** Whether the text is JSON. */
  readonly parses: boolean;
  readonly valid: boolean;
  /** What is good about it, where that is not what is said as a rule. */
  readonly praise?: string;
  /** The judgement in a word or two. */
  readonly word: string;
  /** What is wrong, for people. */
  readonly problems: readonly string[];
  readonly spans: readonly SpanNote[];
  /** Formats that the schema asks for at values of the text, which were not looked at. */
  readonly formats?: readonly string[];
}

/** Fetches what {@link judge} needs, so that the first judgement is quick. */
export async function prepareJudge(): Promise<void> {
  await loadAjv();
}

const loadAjv = () => import("ajv/dist/2020.js");

/** The validator of the draft that a schema names; of the newest where it names none. */
async function validatorOf(schema: unknown) {
  const options = { strict: false, allErrors: false, logger: false } as const;
  const draft = draftOf(schema);
  if (draft.includes("2019-09")) return new (await import("ajv/dist/2019.js")).default(options);
  if (/draft-0\d/.test(draft)) return new (await import("ajv")).default(options);
  return new (await loadAjv()).default(options);
}

/** What is said of a text that nobody could judge. */
export function notJudged(error: unknown): Verdict {
  const why = error instanceof Error ? error.message : String(error);
  const problems = [why.replace(/\.$/, "")];
  return { parses: false, valid: false, word: "Not judged", problems, spans: [] };
}

/** Judges a text by a schema. */
export async function judge(text: string, schemaText: string, request: string): Promise<Verdict> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const cause = text.trim() === "" ? "the text is empty" : (error as Error).message;
    const problems = [`Not JSON: ${cause}`];
    return { parses: false, valid: false, word: "Not JSON", problems, spans: [] };
  }
  try {
    return await judgeValue(value, JSON.parse(schemaText), request);
  } catch (error) {
    return { ...notJudged(error), parses: true };
  }
}

/** Judges a value; throws where the validator does not take the schema. */
async function judgeValue(value: unknown, schema: unknown, request: string): Promise<Verdict> {
  const ajv = await validatorOf(schema);
  const spans = new Map<string, SpanNote>();
  ajv.addKeyword({
    keyword: "x-spanOf",
    // A note, not a rule: the standard knows nothing of requests.
    validate: (_: unknown, data: unknown, __: unknown, place?: { instancePath: string }) => {
      if (typeof data !== "string" || !place) return true;
      const pointer = place.instancePath;
      spans.set(pointer, { pointer, value: data, stands: standsIn(data, request) });
      return true;
    },
  });
  const formats = new Set<string>();
  ajv.removeKeyword("format");
  ajv.addKeyword({
    keyword: "format",
    validate: (format: unknown, data: unknown) => {
      if (typeof format === "string" && typeof data === "string") formats.add(format);
      return true;
    },
  });
  const validate = ajv.compile(newer(schema));
  // The schema itself was a value until now, of the schema of schemas.
  formats.clear();
  const valid = validate(value) === true;
  const problems = (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath || "The whole"} ${message ?? "is wrong"}`,
  );
  return {
    parses: true,
    valid,
    word: valid ? "Valid" : "Not valid",
    problems: [...new Set(problems)],
    spans: [...spans.values()],
    formats: [...formats],
  };
}

/** Whether a value is a run of whole words of a text. */
export const standsIn = (value: string, text: string): boolean => placesOf(value, text).length > 0;
