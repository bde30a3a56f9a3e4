/** The tasks that come with the page, each with a grammar and a request to begin with. */

import type { CellOrder } from "lacuna-lm";
import contact from "../../../grammars/contact.schema.json?raw";
import flights from "../../../grammars/flights.schema.json?raw";
import restaurants from "../../../grammars/restaurants.schema.json?raw";
import smiles from "../../../grammars/smiles.lark?raw";
import snips from "../../../grammars/snips.schema.json?raw";
import query from "../../../models/lacuna-small/query.lark?raw";

/** The models that are served beside the page. */
export const MODELS = ["lacuna-small", "lacuna-molecules", "lacuna-mini"] as const;
export type ModelName = (typeof MODELS)[number];

/** The dialects that the page edits. */
export const KINDS = ["jsonSchema", "lark"] as const;
export type Kind = (typeof KINDS)[number];

/** Options of the form that a task sets. */
export interface TaskOptions {
  readonly length?: number;
  readonly steps?: number;
  readonly seed?: number;
  readonly temperature?: number;
  readonly order?: CellOrder;
  /** Methods that are shown beside ours. */
  readonly methods?: readonly string[];
}

/** A task with an example. */
export interface Preset {
  readonly id: string;
  readonly title: string;
  readonly model: ModelName;
  readonly kind: Kind;
  readonly grammar: string;
  readonly request: string;
  /** What the model reads before the request, where the grammar does not say it. */
  readonly task?: string;
  readonly options?: TaskOptions;
}

const extraction = { model: "lacuna-small", kind: "jsonSchema" } as const;

export const PRESETS: readonly Preset[] = [
  {
    ...extraction,
    id: "snips",
    title: "Voice assistant: intent and slots",
    grammar: snips,
    request: "rate the novel Salt and Thunder four out of six",
  },
  {
    ...extraction,
    id: "restaurants",
    title: "Restaurants: find or book",
    grammar: restaurants,
    request: "I'd like Ethiopian food in Lisbon",
  },
  {
    ...extraction,
    id: "flights",
    title: "Flights: find or book",
    grammar: flights,
    request: "I want to fly from Reykjavik to Nairobi on March 3rd",
  },
  {
    ...extraction,
    id: "contact",
    title: "Contact card: an unseen schema",
    grammar: contact,
    request: "add Nina Olsen, 36, a friend, she wants the newsletter in French",
    options: { steps: 32 },
  },
  {
    id: "sql",
    title: "Table: question to SQL",
    model: "lacuna-small",
    kind: "lark",
    grammar: query,
    request: "Which team did Dirk Nowitzki play for in 2011?",
    task: "sql player,team,points,season",
    // Leftmost first it is done in few steps: what the grammar leaves no choice of costs none.
    options: { length: 40, steps: 40, order: "left-to-right", methods: ["unconstrained"] },
  },
  {
    id: "molecules",
    title: "Molecules: facts to SMILES",
    model: "lacuna-molecules",
    kind: "lark",
    grammar: smiles,
    request: "2 rings, F",
    task: "molecule",
    // EPIC takes seconds a step under such grammars, the other longer.
    options: { steps: 32, seed: 4, temperature: 0.7, methods: ["unconstrained"] },
  },
];

/** The task of this id; else the first. */
export function presetOf(id: string): Preset {
  const [first] = PRESETS;
  const preset = PRESETS.find((preset) => preset.id === id) ?? first;
  if (!preset) throw new Error("the page has no task");
  return preset;
}

/** The task that this grammar is of, word for word. */
export const presetWith = (model: ModelName, kind: Kind, grammar: string): Preset | undefined =>
  PRESETS.find((it) => it.model === model && it.kind === kind && it.grammar === grammar);
