/**
 * Words of any direction in an editor: literals, classes and comments are each read for
 * themselves, so that what stands between them keeps its order.
 */

import { syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, Prec, type Range } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  Direction,
  EditorView,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { hasLeftward } from "./directions.ts";
import type { Place } from "./editor.ts";

/** A place that is read for itself: from its own side, or from the left. */
export interface Isolate extends Place {
  readonly dir: "auto" | "ltr";
}

/** Those between two places of a text. */
export type FindIsolates = (state: EditorState, from: number, to: number) => readonly Isolate[];

/** Longer lines are shown as they come. */
const LONGEST = 10_000;

const MARKS: Readonly<Record<Isolate["dir"], Decoration>> = {
  auto: Decoration.mark({ class: "cm-iso", attributes: { dir: "auto" }, bidiIsolate: null }),
  ltr: Decoration.mark({
    class: "cm-iso",
    attributes: { dir: "ltr" },
    bidiIsolate: Direction.LTR,
  }),
};

/** Lets places be read for themselves on lines that have words from right to left. */
export function isolating(find: FindIsolates): Extension {
  const marks = ({ state, visibleRanges }: EditorView): DecorationSet => {
    const found: Range<Decoration>[] = [];
    for (const { from, to } of leftwardLines(state, visibleRanges)) {
      for (const { start, end, dir } of find(state, from, to)) {
        found.push(MARKS[dir].range(start, end));
      }
    }
    return Decoration.set(found, true);
  };
  return decorating(marks, (read) => [
    EditorView.outerDecorations.of(read),
    Prec.lowest(EditorView.bidiIsolatedRanges.of(read)),
  ]);
}

const byWords = Decoration.line({ attributes: { dir: "auto" } });

/** Each line begins at the side that its own words do. */
export const linesByWords: Extension = [
  EditorView.perLineTextDirection.of(true),
  decorating(
    ({ state, visibleRanges }) =>
      Decoration.set(leftwardLines(state, visibleRanges).map(({ from }) => byWords.range(from))),
    (read) => EditorView.decorations.of(read),
  ),
];

/** Decorations of what is in sight. */
function decorating(
  marks: (view: EditorView) => DecorationSet,
  provide: (read: (view: EditorView) => DecorationSet) => Extension,
): Extension {
  return ViewPlugin.fromClass(
    class {
      marks: DecorationSet;

      constructor(view: EditorView) {
        this.marks = marks(view);
      }

      update({ view, docChanged, viewportChanged, startState, state }: ViewUpdate): void {
        const isRead = syntaxTree(startState) !== syntaxTree(state);
        if (docChanged || viewportChanged || isRead) this.marks = marks(view);
      }
    },
    { provide: (plugin) => provide((view) => view.plugin(plugin)?.marks ?? Decoration.none) },
  );
}

/** The lines of some ranges that have words from right to left. */
function leftwardLines({ doc }: EditorState, ranges: EditorView["visibleRanges"]) {
  const found = [];
  let next = 0;
  for (const { from, to } of ranges) {
    for (let at = Math.max(from, next); at <= to; at = next) {
      const line = doc.lineAt(at);
      next = line.to + 1;
      if (line.length <= LONGEST && hasLeftward(line.text)) found.push(line);
    }
  }
  return found;
}

/** Words of the languages that hold text. */
const HOLDING: Readonly<Record<string, Isolate["dir"]>> = {
  string: "auto",
  stringEscape: "ltr",
  String: "auto",
  PropertyName: "auto",
  comment: "auto",
  regexp: "ltr",
  escape: "ltr",
  atom: "ltr",
  invalid: "auto",
};

/** What the editor's language reads as one. */
export const wordIsolates: FindIsolates = (state, from, to) => {
  const found: Isolate[] = [];
  let literal: { start: number; end: number; dir: "auto" } | undefined;
  syntaxTree(state).iterate({
    from,
    to,
    enter({ name, from: start, to: end }) {
      const dir = HOLDING[name];
      if (!dir) return;
      if (name !== "string" && name !== "stringEscape") {
        found.push({ start, end, dir });
        return;
      }
      // A literal that has escapes comes in pieces.
      if (literal?.end === start) literal.end = end;
      else {
        literal = { start, end, dir: "auto" };
        found.push(literal);
      }
      if (name === "stringEscape") found.push({ start, end, dir });
    },
  });
  return found.flatMap((isolate) => (isolate.dir === "auto" ? trimmed(state, isolate) : [isolate]));
};

/** A place without the sign of a comment, and without the blanks around it; nothing of only those. */
function trimmed(state: EditorState, { start, end, dir }: Isolate): Isolate[] {
  const text = state.sliceDoc(start, end);
  const from = text.search(/[^#/\s]/);
  return from < 0 ? [] : [{ start: start + from, end: start + text.trimEnd().length, dir }];
}
