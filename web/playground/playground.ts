/** The page put together: what is typed goes to the worker, what it finds is shown. */

import type { Fault, GrammarKind } from "lacuna-lm/grammar";
import { UNREADABLE } from "../src/fragment.ts";
import { Keeper, leftBehind } from "../src/keeping.ts";
import { byId, element } from "../src/page/dom.ts";
import { sentence } from "../src/page/findings-view.ts";
import { counted } from "../src/page/words.ts";
import { Bench } from "./bench.ts";
import { ChoicesView } from "./choices-view.ts";
import { Completions } from "./completions.ts";
import { ExportPane } from "./export-pane.ts";
import { readShipped, SHIPPED } from "./gallery.ts";
import { isGap, parseGaps, piecesOf } from "./gaps.ts";
import { GrammarPane } from "./grammar-pane.ts";
import { LinkedViews } from "./linked-views.ts";
import wasm from "./pkg/lacuna_wasm_bg.wasm?url";
import type { Cells, Completed, Explanation, Finding, Info } from "./protocol.ts";
import { fromFragment, isLink, stateOf, toFragment } from "./share.ts";
import { handedOver, isRequest, slotsOf } from "./slots.ts";
import { SlotsPane } from "./slots-pane.ts";
import type { State } from "./state.ts";
import { TestsPane } from "./tests-pane.ts";
import { TextPane } from "./text-pane.ts";
import { breakPlace, repeatPlace, VerdictView } from "./verdict-view.ts";
import { duration } from "./words.ts";

/** What the page holds is kept by, for the tab. */
const KEEP_KEY = "lacuna-playground";

export class Playground {
  readonly #grammar: GrammarPane;
  readonly #text: TextPane;
  readonly #tests: TestsPane;
  readonly #export: ExportPane;
  readonly #verdict: VerdictView;
  readonly #choices: ChoicesView;
  readonly #completions: Completions;
  readonly #linked: LinkedViews;
  readonly #bench: Bench;
  readonly #slots: SlotsPane;
  readonly #keeper = new Keeper({
    key: KEEP_KEY,
    state: () => this.#state(),
    fragment: () => toFragment(this.#state()),
  });
  readonly #request = byId("request", HTMLTextAreaElement);
  readonly #limit = byId("limit", HTMLSelectElement);
  /** Says that the link could not be read. */
  readonly #lost = byId("lost", HTMLElement);
  #cells: Cells = "characters";
  #gap: number | null = null;
  /** Set while a whole state is put in, which is looked at once. */
  #isOpening = false;
  /** The grammar and the text of the newest look. */
  #about = "";
  /** The verdict that the newest look has come to, and whether its reason is told. */
  #isCompletable: boolean | undefined;
  #isExplained = false;

  constructor() {
    const { title, message } = UNREADABLE;
    this.#lost.replaceChildren(element("strong", {}, title), element("p", {}, message));
    this.#bench = new Bench({
      start: () => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }),
      assets: {
        wasm: new URL(wasm, document.baseURI).href,
        model: new URL("../models/lacuna-mini/", document.baseURI).href,
      },
      listener: {
        found: (finding) => this.#found(finding),
        looked: () => delete document.body.dataset.looking,
        failed: (fault) => this.#failed(fault),
      },
      limit: () => Number(this.#limit.value),
    });
    this.#verdict = new VerdictView(
      byId("verdict", HTMLElement),
      byId("verdict-words", HTMLElement),
      byId("verdict-detail", HTMLElement),
    );
    this.#grammar = new GrammarPane(
      {
        kinds: byId("kinds", HTMLElement),
        editor: byId("grammar", HTMLElement),
        findings: byId("findings", HTMLElement),
      },
      {
        changed: () => this.#changed(),
        kind: (kind) => this.#changeKind(kind),
        moved: (offset) => this.#linked.pointedInGrammar(offset),
      },
    );
    this.#slots = new SlotsPane(byId("slots", HTMLElement), () => this.#changed());
    this.#text = new TextPane(
      byId("text", HTMLElement),
      "verdict-detail",
      () => this.#changed(),
      (offset, byTyping) => {
        this.#chooseGap(this.#text.gapAtCursor);
        if (!byTyping) this.#linked.pointedInText(offset);
      },
    );
    this.#tests = new TestsPane(
      {
        list: byId("tests", HTMLElement),
        summary: byId("tests-summary", HTMLElement),
        addMember: byId("add-member", HTMLButtonElement),
        addOther: byId("add-other", HTMLButtonElement),
      },
      () => this.#changed(),
    );
    this.#linked = new LinkedViews(this.#grammar, this.#text, () => this.#state());
    this.#completions = new Completions(this.#bench, this.#linked, (text) =>
      this.#tests.add(text, true),
    );
    this.#export = new ExportPane(
      byId("export-buttons", HTMLElement),
      byId("exported", HTMLElement),
      {
        exported: (dialect) => this.#bench.ask({ ask: "export", dialect }),
        open: (kind, grammar) => void this.#turn({ ...this.#state(), kind, grammar }),
        goTo: (place) => this.#grammar.goTo(place),
        copy,
      },
    );
    this.#choices = new ChoicesView(
      {
        gaps: byId("gaps", HTMLElement),
        list: byId("choices", HTMLElement),
        form: byId("try", HTMLFormElement),
        input: byId("try-text", HTMLInputElement),
        reason: byId("reason", HTMLElement),
      },
      {
        gap: (gap) => this.#chooseGap(gap),
        put: (text) => this.#text.fill(this.#gap ?? 0, text, 1),
        tried: (what) => this.#bench.ask({ ask: "try", gap: this.#gap ?? 0, ...what }),
      },
    );
    this.#connect();
  }

  /** Opens what the link carries, or the first of the gallery. */
  async begin(): Promise<void> {
    const shared = stateOf(leftBehind(KEEP_KEY)) ?? (await fromFragment(location.hash));
    const first = SHIPPED[0];
    if (shared) this.#open(shared);
    else if (first) this.#open(await readShipped(first));
    this.#lost.hidden = shared !== undefined || !isLink(location.hash);
  }

  #connect(): void {
    const gallery = byId("gallery", HTMLSelectElement);
    gallery.append(element("option", { value: "" }, "Examples…"));
    gallery.append(...SHIPPED.map(({ file, title }) => element("option", { value: file }, title)));
    const open = byId("open", HTMLButtonElement);
    gallery.addEventListener("change", () => {
      open.disabled = gallery.value === "";
    });
    open.addEventListener("click", async () => {
      const chosen = SHIPPED.find(({ file }) => file === gallery.value);
      if (!chosen) return;
      const state = await readShipped(chosen).catch(() => undefined);
      open.textContent = state ? "Open" : "Could not be fetched. Try again";
      if (state) await this.#turn(state);
    });
    this.#request.addEventListener("input", () => this.#changed());
    this.#limit.addEventListener("change", () => this.#look());
    byId("add-gap", HTMLButtonElement).addEventListener("click", () => this.#text.insertGap());
    byId("add-cells", HTMLButtonElement).addEventListener("click", () => this.#text.insertGap("3"));
    for (const radio of document.querySelectorAll<HTMLInputElement>('input[name="cells"]')) {
      radio.addEventListener("change", () => {
        this.#cells = radio.value === "tokens" ? "tokens" : "characters";
        this.#changed();
      });
    }
    const share = byId("share", HTMLButtonElement);
    share.addEventListener("click", async () => {
      const isKept = await this.#keeper.save();
      const copied = async () =>
        (await copy(location.href)) ? "Link copied" : "Link in the address";
      share.textContent = isKept ? await copied() : "Too much for a link";
      setTimeout(() => {
        share.textContent = "Share";
      }, 2000);
    });
    window.addEventListener("hashchange", async () => {
      const shared = await fromFragment(location.hash);
      if (shared) this.#open(shared);
      this.#lost.hidden = shared !== undefined || !isLink(location.hash);
    });
  }

  #state(): State {
    return {
      kind: this.#grammar.kind,
      grammar: this.#grammar.text,
      text: this.#text.text,
      request: this.#request.value,
      slots: this.#slots.filled,
      cells: this.#cells,
      tests: this.#tests.tests,
    };
  }

  /** Puts a whole state in. */
  #open(state: State): void {
    this.#isOpening = true;
    this.#request.value = state.request;
    this.#slots.filled = state.slots;
    this.#cells = state.cells;
    const radio = document.querySelector<HTMLInputElement>(
      `input[name="cells"][value="${state.cells}"]`,
    );
    if (radio) radio.checked = true;
    this.#grammar.open(state.kind, state.grammar);
    this.#text.open(state.text);
    this.#tests.tests = state.tests;
    this.#gap = this.#text.parts.some(isGap) ? 0 : null;
    this.#isOpening = false;
    this.#changed();
  }

  /** Puts a whole state in; a step back brings back what there was. */
  #turn(state: State): Promise<void> {
    return this.#keeper.turn(() => this.#open(state));
  }

  /** The same text in another notation. */
  #changeKind(kind: GrammarKind): void {
    this.#grammar.speak(kind);
    this.#changed();
  }

  #changed(): void {
    if (this.#isOpening) return;
    this.#lost.hidden = true;
    this.#look();
    this.#keeper.changed();
  }

  #chooseGap(gap: number | null): void {
    if (gap === this.#gap || this.#isOpening) return;
    this.#gap = gap;
    this.#look();
  }

  #look(): void {
    const state = this.#state();
    const parts = this.#text.parts;
    const gaps = parts.filter(isGap);
    if (this.#gap !== null && this.#gap >= gaps.length) this.#gap = gaps.length - 1;
    if (this.#gap !== null && this.#gap < 0) this.#gap = null;
    if (this.#gap === null && gaps.length > 0) this.#gap = 0;
    const { kind, grammar: text, request, cells } = state;
    // Of a schema that is being typed, slots are known when it is one again.
    this.#slots.show(slotsOf(kind, text) ?? this.#slots.slots);
    const { slots } = this.#slots;
    byId("request-field", HTMLElement).hidden = !slots.some(isRequest);
    document.body.dataset.looking = "";
    this.#isCompletable = undefined;
    this.#isExplained = false;
    this.#verdict.waiting();
    this.#tests.waiting();
    this.#choices.gaps(
      gaps.map(({ cells }) => cells),
      this.#gap,
    );
    const grammar = { kind, text, cells, ...handedOver(slots, state.slots, request) };
    const pieces = piecesOf(parts);
    this.#about = JSON.stringify([grammar, pieces]);
    this.#bench.look({
      grammar,
      pieces,
      tests: state.tests.map(({ text, belongs }) => ({
        pieces: piecesOf(parseGaps(text)),
        belongs,
      })),
      gap: this.#gap,
    });
  }

  #found(finding: Finding): void {
    switch (finding.about) {
      case "grammar":
        if (!("fault" in finding)) this.#understood(finding.info, finding.millis);
        else if (finding.fault.kind === "network") this.#noTokens(finding.fault);
        else this.#grammarFault(finding.fault);
        break;
      case "verdict":
        if ("fault" in finding) this.#undecided(finding.fault);
        else this.#decided(finding.completed, finding.millis);
        break;
      case "explanation":
        if ("fault" in finding) this.#undecided(finding.fault);
        else this.#explained(finding.explanation);
        break;
      case "tree":
        if (!("fault" in finding)) this.#linked.tree(finding.text, finding.nodes);
        else if (this.#linked.isShown(finding.text))
          this.#linked.noTree(sentence(finding.fault.message));
        break;
      case "test":
        this.#tests.result(finding.at, finding.result);
        break;
      case "choices":
        this.#choices.show(finding.choices);
        break;
      case "tokens":
        this.#choices.spellings = finding.spellings;
    }
  }

  #decided(completed: Completed | null, millis: number): void {
    byId("verdict-time", HTMLElement).textContent = duration(millis);
    this.#isCompletable = completed !== null;
    this.#completions.show(completed, this.#about);
    byId("choices-pane", HTMLElement).hidden = completed === null;
    if (completed) {
      this.#verdict.say("yes", "Can be completed.");
      this.#text.breakAt(undefined);
      return;
    }
    this.#verdict.say("no", "Cannot be completed.");
    this.#choices.nothing("");
  }

  #explained(explanation: Explanation): void {
    this.#isExplained = true;
    const { parts, text } = this.#text;
    this.#verdict.explain(explanation, text, parts, (offset) => this.#text.goTo(offset));
    if (explanation.why === "invalid" && explanation.repeats) {
      this.#text.breakAt(repeatPlace(explanation.repeats, text, parts), "It stands before, too.");
      return;
    }
    const isBreak = explanation.why === "breaks";
    const place = isBreak ? breakPlace(explanation, text, parts) : undefined;
    this.#text.breakAt(place, "It breaks here.");
  }

  #stale(isStale: boolean): void {
    for (const id of ["witness-pane", "choices-pane", "tree-pane"]) {
      byId(id, HTMLElement).inert = isStale;
    }
  }

  #understood(info: Info, millis: number): void {
    this.#stale(false);
    this.#linked.info = info;
    this.#grammar.show(info.warnings);
    this.#choices.isJudged = info.warnings.some(({ kind }) => kind === "whole-texts");
    this.#export.stale(this.#state());
    const { rules, terminals } = info;
    const words = [counted(rules.length, "rule")];
    if (terminals.length > 0) words.push(counted(terminals.length, "terminal"));
    byId("facts", HTMLElement).textContent = `${words.join(", ")} · read in ${duration(millis)}`;
  }

  #grammarFault(fault: Fault): void {
    const { diagnostics = [], kind, message } = fault;
    const alone = [{ kind, message, severity: "error" as const }];
    this.#grammar.show(diagnostics.length > 0 ? diagnostics : alone);
    byId("facts", HTMLElement).textContent = "";
    // What the last grammar said stays in sight while the next one is typed.
    this.#stale(true);
    this.#linked.stale();
    this.#tests.unknown();
    this.#export.close();
    this.#verdict.say("unknown", "The grammar cannot be read.");
    byId("verdict-time", HTMLElement).textContent = "";
  }

  /** The tokens could not be had: nothing is wrong with the grammar. */
  #noTokens({ message }: Fault): void {
    this.#nothingKnown();
    this.#tests.unknown();
    this.#export.close();
    const again = element("button", { type: "button" }, "Try again");
    again.addEventListener("click", () => this.#look());
    this.#verdict.say("unknown", "Not decided.", sentence(message), " ", again);
  }

  #undecided(fault: Fault): void {
    this.#nothingKnown();
    this.#verdict.fault(fault);
  }

  /** The look was given up: what was found before stays. */
  #failed(fault: Fault): void {
    delete document.body.dataset.looking;
    this.#tests.stopped();
    const words = sentence(fault.message);
    if (this.#isCompletable === undefined) this.#undecided(fault);
    else if (this.#isCompletable) {
      this.#choices.stopped(words);
      if (!this.#linked.hasTree) this.#linked.noTree(words);
    } else if (!this.#isExplained) this.#verdict.say("no", "Cannot be completed.", words);
  }

  #nothingKnown(): void {
    byId("choices-pane", HTMLElement).hidden = true;
    this.#completions.show(null);
    this.#text.breakAt(undefined);
    this.#choices.nothing("");
    byId("verdict-time", HTMLElement).textContent = "";
  }
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
