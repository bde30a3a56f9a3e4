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
        const places = effect.value.filter(({ start, end }) => start < end && end <= most);
        return Decoration.set(merged(places).map(({ start, end }) => tint.range(start, end)));
      }
    }
    return shown.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** What some places cover, in order: tints that lie on one another would hide the text. */
export function merged(places: readonly Place[]): Place[] {
  const covered: Place[] = [];
  for (const { start, end } of [...places].sort((a, b) => a.start - b.start)) {
    const last = covered.at(-1);
    if (!last || last.end <= start) covered.push({ start, end });
    else if (last.end < end) covered[covered.length - 1] = { start: last.start, end };
  }
  return covered;
}

/** Lets places of an editor be pointed at. */
export const pointable: Extension = field;

/** Points at places, and at no others any more. */
export function pointAt(view: EditorView, places: readonly Place[]): void {
  view.dispatch({ effects: point.of(places) });
}
