/**
 * A derivation as a tree that can be opened and closed: each rule with the text that it
 * stands for. What a rule is alone, without text beside it, stands in one line with it.
 */

import { element, seen } from "../src/page/dom.ts";
import type { Named, TreeNode } from "./protocol.ts";

/** Rows that are open at first. */
const OPEN_ROWS = 120;
/** Characters of a part's text in its row. */
const EXCERPT = 48;

/** A row: nodes of the same part, the outermost first. */
interface Row {
  readonly nodes: readonly number[];
  readonly children: readonly number[];
}

export class TreeView {
  readonly #root: HTMLElement;
  readonly #pointed: (node: number | undefined) => void;
  readonly #chosen: (node: number) => void;
  #nodes: readonly TreeNode[] = [];
  #children: number[][] = [];
  #text = "";
  #nameOf: (node: TreeNode) => string = () => "";
  /** The element of each node's row. */
  #items = new Map<number, HTMLElement>();

  /** `pointed` is told the node under the pointer or the focus, `chosen` that it was chosen. */
  constructor(
    root: HTMLElement,
    pointed: (node: number | undefined) => void,
    chosen: (node: number) => void,
  ) {
    this.#root = root;
    this.#pointed = pointed;
    this.#chosen = chosen;
    root.addEventListener("pointerover", ({ target }) => this.#pointed(this.#nodeAt(target)));
    root.addEventListener("pointerleave", () => this.#pointed(undefined));
    root.addEventListener("focusin", ({ target }) => this.#pointed(this.#nodeAt(target)));
    root.addEventListener("focusout", () => this.#pointed(undefined));
    root.addEventListener("click", (event) => this.#clicked(event));
    root.addEventListener("keydown", (event) => this.#key(event));
  }

  get nodes(): readonly TreeNode[] {
    return this.#nodes;
  }

  show(
    text: string,
    nodes: readonly TreeNode[],
    rules: readonly Named[],
    terminals: readonly Named[],
  ): void {
    this.#nodes = nodes;
    this.#text = text;
    this.#children = nodes.map(() => []);
    for (const [at, { parent }] of nodes.entries()) {
      if (parent !== undefined) this.#children[parent]?.push(at);
    }
    this.#nameOf = ({ by, id }) => (by === "rule" ? rules : terminals)[id ?? -1]?.name ?? "";
    this.#items.clear();
    this.#root.replaceChildren();
    if (nodes.length === 0) return;
    this.#root.append(this.#item(0, 1));
    this.#openSome();
    this.#root.querySelector<HTMLElement>('[role="treeitem"]')?.setAttribute("tabindex", "0");
  }

  /** Tints rows, and brings the first into view inside the tree. */
  point(nodes: readonly number[]): void {
    for (const item of this.#root.querySelectorAll(".row.pointed"))
      item.classList.remove("pointed");
    const rows = new Set(nodes.map((node) => this.#shownRow(node)));
    for (const row of rows) row?.classList.add("pointed");
    const [first] = rows;
    if (!first) return;
    const { top, bottom } = first.getBoundingClientRect();
    const box = this.#root.getBoundingClientRect();
    if (top < box.top) this.#root.scrollTop -= box.top - top;
    if (bottom > box.bottom) this.#root.scrollTop += bottom - box.bottom;
  }

  /** The innermost node that holds a character of the text. */
  nodeAt(offset: number): number | undefined {
    const inside = this.#nodes.findLastIndex(({ start, end }) => start <= offset && offset < end);
    return inside < 0 ? undefined : inside;
  }

  /** The row of a node, or of the nearest around it that is shown. */
  #shownRow(node: number): HTMLElement | undefined {
    let at: number | undefined = node;
    while (at !== undefined) {
      const row = this.#items.get(at)?.querySelector<HTMLElement>(":scope > .row");
      if (row && row.offsetParent !== null) return row;
      at = this.#nodes[at]?.parent;
    }
    return undefined;
  }

  #row(first: number): Row {
    const nodes = [first];
    let children = this.#children[first] ?? [];
    for (;;) {
      const only = children.length === 1 ? children[0] : undefined;
      const node = only === undefined ? undefined : this.#nodes[only];
      const around = this.#nodes[first];
      if (only === undefined || !node || node.by === "text") break;
      if (node.start !== around?.start || node.end !== around.end) break;
      nodes.push(only);
      children = this.#children[only] ?? [];
    }
    // Text that is all there is of a rule is seen beside its name.
    const isPlain = children.length === 1 && this.#nodes[children[0] ?? -1]?.by === "text";
    return { nodes, children: isPlain ? [] : children };
  }

  #item(first: number, level: number): HTMLElement {
    const { nodes, children } = this.#row(first);
    const node = this.#nodes[first];
    if (!node) return element("div");
    const names = nodes
      .map((at) => this.#nodes[at])
      .filter((it) => it !== undefined && it.by !== "text")
      .map((it) => element("b", { class: it?.by }, it ? this.#nameOf(it) : ""));
    const whole = this.#text.slice(node.start, node.end);
    const excerpt = whole.length > EXCERPT ? `${whole.slice(0, EXCERPT)}…` : whole;
    const path = names.flatMap((name, at) => (at > 0 ? [" › ", name] : [name]));
    const text = element("code", {}, ...seen(readable(excerpt)));
    // A literal is its own name.
    const isNamed = names.at(-1)?.textContent === JSON.stringify(whole);
    const empty = element("i", { class: "hint" }, "nothing");
    const shown = isNamed ? [] : [" ", whole === "" ? empty : text];
    const row = element(
      "div",
      { class: "row" },
      element("span", { class: "fold-mark" }),
      ...path,
      ...shown,
    );
    const item = element(
      "div",
      {
        role: "treeitem",
        class: "node",
        tabindex: "-1",
        "data-node": `${first}`,
        "aria-level": `${level}`,
        "aria-label": `${names.map((name) => name.textContent).join(" › ")} ${readable(excerpt)}`,
        ...(children.length > 0 ? { "aria-expanded": "false" } : {}),
      },
      row,
    );
    for (const at of nodes) this.#items.set(at, item);
    return item;
  }

  /** Opens rows breadth first, as far as they are not too many. */
  #openSome(): void {
    let rows = 1;
    let layer = [...this.#root.querySelectorAll<HTMLElement>(':scope > [role="treeitem"]')];
    while (layer.length > 0 && rows < OPEN_ROWS) {
      const next: HTMLElement[] = [];
      for (const item of layer) {
        if (rows >= OPEN_ROWS) break;
        const opened = this.#toggle(item, true);
        rows += opened.length;
        next.push(...opened);
      }
      layer = next;
    }
  }

  /** Opens or closes a row; gives what came into view. */
  #toggle(item: HTMLElement, open: boolean): HTMLElement[] {
    if (!item.hasAttribute("aria-expanded")) return [];
    item.setAttribute("aria-expanded", String(open));
    const made = item.querySelector<HTMLElement>(':scope > [role="group"]');
    if (made) {
      made.hidden = !open;
      return [];
    }
    if (!open) return [];
    const level = Number(item.getAttribute("aria-level")) + 1;
    const { children } = this.#row(Number(item.dataset.node));
    const items = children.map((child) => this.#item(child, level));
    item.append(element("div", { role: "group" }, ...items));
    return items;
  }

  #nodeAt(target: EventTarget | null): number | undefined {
    const item = target instanceof Element ? target.closest<HTMLElement>("[data-node]") : null;
    return item ? Number(item.dataset.node) : undefined;
  }

  #clicked({ target }: MouseEvent): void {
    const item = target instanceof Element ? target.closest<HTMLElement>("[data-node]") : null;
    if (!item) return;
    if (target instanceof Element && target.classList.contains("fold-mark")) {
      this.#toggle(item, item.getAttribute("aria-expanded") !== "true");
    }
    this.#focus(item);
    this.#chosen(Number(item.dataset.node));
  }

  #focus(item: HTMLElement | null | undefined): void {
    if (!item) return;
    for (const it of this.#root.querySelectorAll('[tabindex="0"]'))
      it.setAttribute("tabindex", "-1");
    item.setAttribute("tabindex", "0");
    item.focus();
  }

  #key(event: KeyboardEvent): void {
    const item = document.activeElement?.closest<HTMLElement>('[role="treeitem"]');
    if (!item) return;
    const all = [...this.#root.querySelectorAll<HTMLElement>('[role="treeitem"]')];
    const shown = all.filter((it) => it.offsetParent !== null);
    const at = shown.indexOf(item);
    const isOpen = item.getAttribute("aria-expanded") === "true";
    switch (event.key) {
      case "ArrowDown":
        this.#focus(shown[at + 1]);
        break;
      case "ArrowUp":
        this.#focus(shown[at - 1]);
        break;
      case "Home":
        this.#focus(shown[0]);
        break;
      case "End":
        this.#focus(shown.at(-1));
        break;
      case "ArrowRight":
        if (isOpen) this.#focus(shown[at + 1]);
        else this.#toggle(item, true);
        break;
      case "ArrowLeft":
        if (isOpen) this.#toggle(item, false);
        else this.#focus(item.parentElement?.closest<HTMLElement>('[role="treeitem"]'));
        break;
      case "Enter":
      case " ":
        this.#chosen(Number(item.dataset.node));
        break;
      default:
        return;
    }
    event.preventDefault();
  }
}

/** Line ends are seen, and blanks where there is nothing else. */
function readable(text: string): string {
  const ends = text.replaceAll("\n", "↵").replaceAll("\t", "→");
  return ends.trim() === "" ? ends.replaceAll(" ", "␣") : ends;
}
