/** Places that are pointed at from outside an editor, shown as a tint behind the text. */

import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import type { Place } from "./editor.ts";

const point = StateEffect.define<readonly Place[]>();
const tint = Decoration.mark({ class: "pointed" });

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(point)) {
        const most = transaction.newDoc.length;
        const ranges = effect.value
          .filter(({ start, end }) => start < end && end <= most)
          .map(({ start, end }) => tint.range(start, end));
        return Decoration.set(ranges, true);
      }
    }
    return shown.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Lets places of an editor be pointed at. */
export const pointable: Extension = field;

/** Points at places, and at no others any more. */
export function pointAt(view: EditorView, places: readonly Place[]): void {
  view.dispatch({ effects: point.of(places) });
}
