/**
 * The text, its completion, the derivation and the grammar, linked: what is pointed at in
 * one of them is tinted in the others.
 */

import type { Place } from "../editor/editor.ts";
import { byId } from "../src/page/dom.ts";
import { counted } from "../src/page/words.ts";
import type { GrammarPane } from "./grammar-pane.ts";
import { placesOfNamed } from "./places.ts";
import type { Completed, Info, TreeNode } from "./protocol.ts";
import type { State } from "./state.ts";
import type { TextPane } from "./text-pane.ts";
import { completedPlace, writtenPlaces } from "./text-places.ts";
import { TreeView } from "./tree-view.ts";
import { WitnessView } from "./witness-view.ts";

/** Places by the ids of what is defined there. */
type Definitions = Readonly<Record<TreeNode["by"], readonly (Place | undefined)[]>>;

export class LinkedViews {
  readonly #grammar: GrammarPane;
  readonly #text: TextPane;
  readonly #state: () => State;
  readonly #witness: WitnessView;
  readonly #tree: TreeView;
  readonly #note = byId("tree-note", HTMLElement);
  #info: Info | undefined;
  #places: Definitions | undefined;
  /** Whether the derivation is of another grammar than that which is there. */
  #isStale = false;

  constructor(grammar: GrammarPane, text: TextPane, state: () => State) {
    this.#grammar = grammar;
    this.#text = text;
    this.#state = state;
    this.#witness = new WitnessView(byId("witness", HTMLElement), (offset) =>
      this.#point(offset === undefined ? undefined : this.#tree.nodeAt(offset)),
    );
    this.#tree = new TreeView(
      byId("tree", HTMLElement),
      (node) => this.#point(node),
      (node) => this.#choose(node),
    );
  }

  /** Shows a completed text, whose derivation is to come. */
  completed(completed: Completed): void {
    this.#witness.show(completed);
    this.#tree.show("", [], [], []);
    this.#note.textContent = "";
    byId("tree-pane", HTMLElement).hidden = false;
  }

  /** Learns the names and places of rules. */
  set info(info: Info) {
    this.#info = info;
    this.#places = undefined;
    this.#isStale = false;
  }

  /** Where rules and terminals are defined: found out once for each grammar. */
  get #definitions(): Definitions {
    const { rules = [], terminals = [] } = this.#info ?? {};
    const state = this.#state();
    this.#places ??= {
      rule: placesOfNamed(rules, state),
      terminal: placesOfNamed(terminals, state),
      text: [],
    };
    return this.#places;
  }

  /** The grammar cannot be read: nothing is pointed at until it can. */
  stale(): void {
    this.#point(undefined);
    this.#isStale = true;
  }

  tree(text: string, nodes: readonly TreeNode[]): void {
    if (!this.isShown(text)) return;
    const { rules = [], terminals = [] } = this.#info ?? {};
    this.#tree.show(text, nodes, rules, terminals);
    this.#witness.divide(nodes);
    this.#note.textContent = counted(nodes.length, "part");
  }

  /** Whether there is a derivation in sight. */
  get hasTree(): boolean {
    return this.#tree.nodes.length > 0;
  }

  /** Whether it is this text that is shown. */
  isShown(text: string): boolean {
    return text === this.#witness.shown.text;
  }

  /** There is no derivation, and why. */
  noTree(words: string): void {
    this.#tree.show("", [], [], []);
    this.#note.textContent = words;
    byId("tree-pane", HTMLElement).hidden = words === "";
  }

  /** The cursor stands in the grammar: all parts by that rule are tinted. */
  pointedInGrammar(offset: number): void {
    if (this.#isStale) return;
    const isAt = (place: Place | undefined) =>
      place !== undefined && place.start <= offset && offset <= place.end;
    const places = this.#definitions;
    const found = this.#tree.nodes.flatMap((node, at) =>
      isAt(places[node.by][node.id ?? -1]) ? [at] : [],
    );
    this.#tree.point(found);
    this.#tint(found.flatMap((at) => this.#nodes(at)));
  }

  /** The cursor stands in the text: the innermost part there is tinted. */
  pointedInText(cursor: number): void {
    if (this.#isStale) return;
    const { text, parts } = this.#text;
    const at = completedPlace(text, parts, this.#witness.shown, cursor);
    const node = at === undefined ? undefined : this.#tree.nodeAt(at);
    this.#tree.point(node === undefined ? [] : [node]);
    this.#witness.point(node === undefined ? [] : this.#nodes(node));
    this.#pointRule(node);
  }

  /** Tints places of the completion, there and in the text. */
  #tint(places: readonly Place[]): void {
    this.#witness.point(places);
    const { text, parts } = this.#text;
    const { shown } = this.#witness;
    this.#text.point(writtenPlaces(text, parts, shown, places));
  }

  #pointRule(node: number | undefined): void {
    const place = node === undefined ? undefined : this.#placeOf(node);
    this.#grammar.point(place ? [place] : []);
  }

  #nodes(at: number): TreeNode[] {
    const node = this.#tree.nodes[at];
    return node ? [node] : [];
  }

  /** A part is pointed at: in the tree, in the text, and its rule. */
  #point(at: number | undefined): void {
    this.#tree.point(at === undefined ? [] : [at]);
    this.#tint(at === undefined ? [] : this.#nodes(at));
    this.#pointRule(at);
  }

  /** A part is chosen: its rule is brought into view. */
  #choose(at: number): void {
    const place = this.#placeOf(at);
    if (place) this.#grammar.point([place], true);
  }

  /** Where the rule of a part is defined, or of what it stands in. */
  #placeOf(at: number) {
    for (let node = this.#tree.nodes[at]; node; node = this.#tree.nodes[node.parent ?? -1]) {
      if (node.by !== "text") return this.#definitions[node.by][node.id ?? -1];
    }
    return undefined;
  }
}
