/** Small helpers for the document. */

import { quotedPlaces } from "../../editor/directions.ts";
import { seenPieces } from "./invisible.ts";

/** The element with this id, known to be of this class. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`the page has no ${type.name} with the id ${id}`);
}

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** A new element. An attribute that is `undefined` or `false` is left out. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/**
 * Whether a key goes to an input method. Safari ends the composition before the key that
 * commits it is told: only the key's code, obsolete as it is, tells there.
 */
export const isComposed = ({
  isComposing,
  keyCode,
}: Pick<KeyboardEvent, "isComposing" | "keyCode">): boolean => isComposing || keyCode === 229;

const FOCUSABLE = "button, input, textarea, a[href]";

/** Puts other children into an element; the focus stays at the control of the same number. */
export function replaceInPlace(parent: HTMLElement, ...children: Node[]): void {
  const { activeElement } = document;
  const at = activeElement ? [...parent.querySelectorAll(FOCUSABLE)].indexOf(activeElement) : -1;
  parent.replaceChildren(...children);
  if (at < 0) return;
  const controls = parent.querySelectorAll<HTMLElement>(FOCUSABLE);
  controls[Math.min(at, controls.length - 1)]?.focus();
}

/**
 * A text as nodes: characters that cannot be seen stand out, by their numbers, and strings in
 * quotes are read for themselves where words from right to left would turn their order.
 */
export function seen(text: string): (Node | string)[] {
  const found: (Node | string)[] = [];
  let at = 0;
  for (const { start, end } of quotedPlaces(text)) {
    const quoted = element("bdi", {}, ...named(text.slice(start, end)));
    found.push(...named(text.slice(at, start)), quoted);
    at = end;
  }
  found.push(...named(text.slice(at)));
  return found;
}

const named = (text: string): (Node | string)[] =>
  seenPieces(text).map(({ shown, isNamed }) =>
    isNamed ? element("span", { class: "named" }, shown) : shown,
  );
