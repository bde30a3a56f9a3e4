/**
 * What others make of a text: the browser's JSON parser and ajv, never our own
 * checker.
 */

/** Whether a value that the schema binds to the request stands in it. */
export interface SpanNote {
  /** JSON pointer to the value. */
  readonly pointer: string;
  readonly value: string;
  readonly stands: boolean;
}

/** The judgement of a text. */
export interface Verdict {
  /** The value, if the text is JSON. */
  readonly value?: unknown;
  readonly parses: boolean;
  readonly valid: boolean;
  /** What is wrong, for people. */
  readonly problems: readonly string[];
  readonly spans: readonly SpanNote[];
}

/** Fetches what {@link judge} needs, so that the first judgement is quick. */
export async function prepareJudge(): Promise<void> {
  await loadAjv();
}

const loadAjv = () => import("ajv/dist/2020.js");

/** Judges a text by a schema. */
export async function judge(text: string, schemaText: string, request: string): Promise<Verdict> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const cause = text.trim() === "" ? "the text is empty" : (error as Error).message;
    return { parses: false, valid: false, problems: [`Not JSON: ${cause}`], spans: [] };
  }
  const { default: Ajv } = await loadAjv();
  const ajv = new Ajv({ strict: false, allErrors: false });
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
  const validate = ajv.compile(JSON.parse(schemaText));
  const valid = validate(value) === true;
  const problems = (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath || "The whole"} ${message ?? "is wrong"}`,
  );
  return {
    value,
    parses: true,
    valid,
    problems: [...new Set(problems)],
    spans: [...spans.values()],
  };
}

/** Whether a value is a run of whole words of a text. */
export function standsIn(value: string, text: string): boolean {
  const inWord = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}]/u.test(character);
  if (value === "") return false;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const end = at + value.length;
    const cutsBefore = inWord(text[at - 1]) && inWord(value[0]);
    const cutsAfter = inWord(text[end]) && inWord(value.at(-1));
    if (!cutsBefore && !cutsAfter) return true;
  }
  return false;
}
