/** Gaps in the text's editor: shown as gaps, and stepped over as one. */

import { type Extension, RangeSetBuilder } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { gapBehind, isGap, parseGaps } from "./gaps.ts";

const any = Decoration.mark({ class: "gap" });
const counted = Decoration.mark({ class: "gap gap-counted" });
const behind = Decoration.mark({
  class: "cm-lintRange cm-lintRange-warning",
  attributes: { title: "The cells of a gap have at most three digits: this one is text." },
});

function marks(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const written = view.state.doc.toString();
  for (const part of parseGaps(written)) {
    if (!isGap(part)) continue;
    const { cells, end } = part;
    builder.add(part.start, end, cells === null ? any : counted);
    if (cells !== null && /\d/.test(written[end] ?? "")) builder.add(end, end + 1, behind);
  }
  return builder.finish();
}

const plugin = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = marks(view);
    }

    update(update: ViewUpdate): void {
      if (update.docChanged) this.decorations = marks(update.view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

/** Marks gaps, writes one at Ctrl+G, and tells which the cursor is at. */
export function gapMarks(moved: (offset: number, byTyping: boolean) => void): Extension {
  return [
    plugin,
    keymap.of([
      {
        key: "Ctrl-g",
        preventDefault: true,
        run(view) {
          const { state } = view;
          const gap = gapBehind(state.sliceDoc(0, state.selection.main.from));
          view.dispatch(state.replaceSelection(gap), { scrollIntoView: true });
          return true;
        },
      },
    ]),
    EditorView.updateListener.of(({ selectionSet, docChanged, state }) => {
      if (selectionSet || docChanged) moved(state.selection.main.head, docChanged);
    }),
  ];
}
