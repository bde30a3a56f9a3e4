/** The methods that the page shows side by side. */

import type { Method } from "lacuna-lm";

/** Ours first: the others keep its rhythm. */
export const METHODS: readonly Method[] = ["lacuna", "epic", "mundler", "unconstrained"];

/** What the methods are called. */
export const TITLES: Readonly<Record<Method, string>> = {
  lacuna: "Lacuna",
  epic: "EPIC",
  mundler: "Mündler et al.",
  unconstrained: "No grammar",
};

/** What each of them does, in a line. */
export const ABOUT: Readonly<Record<Method, string>> = {
  lacuna: "exact in the cells that there are",
  epic: "published: gaps of any length, in batches",
  mundler: "published: gaps of any length, one by one",
  unconstrained: "the model alone, for comparison",
};
