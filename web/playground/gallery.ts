/** The grammars that ship, each with a text to begin with and texts to try it on. */

import type { GrammarKind } from "lacuna-lm/grammar";
import { writtenText } from "./gaps.ts";
import type { State, Test } from "./state.ts";

/** A grammar that ships. */
export interface Shipped {
  /** Its file. */
  readonly file: string;
  readonly title: string;
  /** A text with gaps. */
  readonly text: string;
  readonly request?: string;
}

export const SHIPPED: readonly Shipped[] = [
  { file: "json.gbnf", title: "JSON", text: '{"name": "□", "tags": [□, "x"]}' },
  { file: "json.lark", title: "JSON, in Lark", text: '{"a": [1, □}' },
  { file: "arithmetic.gbnf", title: "Arithmetic", text: "(1 + □3) * □" },
  { file: "csv.gbnf", title: "CSV", text: 'name,age\n"□",□2\n' },
  { file: "chess.gbnf", title: "Chess moves", text: "1. e4 □2 2. □ Nc6" },
  { file: "iso8601.regex", title: "ISO 8601 dates", text: "2024-□-29T□" },
  { file: "cpp.lark", title: "C++17", text: "int main() { for (int i = 0; □ return 0; }" },
  { file: "sql.lark", title: "SQL of SQLite", text: "SELECT □ FROM t WHERE □8;" },
  { file: "bython.lark", title: "Bython", text: "def f(x) {\n  return □\n}" },
  { file: "css.lark", title: "CSS declarations", text: "color: □; margin: □4 auto" },
  { file: "xml.lark", title: "XML", text: "<□>□</□>" },
  { file: "smiles.lark", title: "SMILES", text: "CC(=O)□c1ccccc□" },
  { file: "tool-call.schema.json", title: "Tool call", text: '{"name": □, "arguments": {□}}' },
  {
    file: "contact.schema.json",
    title: "Contact card",
    text: '{"name": "□", □}',
    request: "Save Ada Obi as a friend from work, she is 36 and wants the newsletter in French.",
  },
  {
    file: "snips.schema.json",
    title: "Voice assistant",
    text: '{"intent": "PlayMusic", □}',
    request: "play some jazz by Nina Simone",
  },
  {
    file: "restaurants.schema.json",
    title: "Restaurants",
    text: "{□}",
    request: "I'd like Ethiopian food in Lisbon",
  },
  {
    file: "flights.schema.json",
    title: "Flights",
    text: "{□}",
    request: "I want to fly from Reykjavik to Nairobi on March 3rd",
  },
];

/** The texts of each kind that come along: the first that are short. */
const TESTS = 5;
const SHORT = 80;

const ENDINGS: readonly (readonly [ending: string, kind: GrammarKind])[] = [
  [".gbnf", "gbnf"],
  [".lark", "lark"],
  [".regex", "regex"],
  [".schema.json", "jsonSchema"],
];

/** The dialect of a file. */
export function kindOfFile(file: string): GrammarKind {
  return ENDINGS.find(([ending]) => file.endsWith(ending))?.[1] ?? "gbnf";
}

type Files = Readonly<Record<string, () => Promise<string>>>;

const GRAMMARS = import.meta.glob<string>(
  [
    "../../grammars/*.gbnf",
    "../../grammars/*.lark",
    "../../grammars/*.regex",
    "../../grammars/*.schema.json",
  ],
  { query: "?raw", import: "default" },
) satisfies Files;

const TEXTS = import.meta.glob<string>(
  ["../../grammars/*/members.jsonl", "../../grammars/*/others.jsonl"],
  { query: "?raw", import: "default" },
) satisfies Files;

/** Reads a grammar that ships, with its texts. */
export async function readShipped({ file, text, request = "" }: Shipped): Promise<State> {
  const stem = file.slice(0, file.indexOf("."));
  const read = async (files: Files, path: string) => (await files[path]?.()) ?? "";
  const [grammar, members, others] = await Promise.all([
    read(GRAMMARS, `../../grammars/${file}`),
    read(TEXTS, `../../grammars/${stem}/members.jsonl`),
    read(TEXTS, `../../grammars/${stem}/others.jsonl`),
  ]);
  const kind = kindOfFile(file);
  const tests = [...testsOf(members, true, kind), ...testsOf(others, false, kind)];
  return { kind, grammar, text, request, slots: [], cells: "characters", tests };
}

interface Line {
  readonly text: string;
  readonly texts?: Readonly<Record<string, string>>;
  readonly purpose?: string;
}

/** The first texts of a file that need nothing beside the grammar and are short. */
function testsOf(lines: string, belongs: boolean, kind: GrammarKind): Test[] {
  const tests = lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
    .filter(({ text, texts, purpose }) => {
      const isPlain = texts === undefined && (purpose === undefined || kind !== "jsonSchema");
      return isPlain && text !== "" && text.length <= SHORT;
    });
  return tests.slice(0, TESTS).map(({ text }) => ({ text: writtenText(text), belongs }));
}
