/** What is looked at after a key was pressed: what is wanted soonest first. */

import type { Choices, Finding, Look } from "../protocol.ts";
import { faultOf } from "./bench.ts";
import type { Kit } from "./kit.ts";
import { Over, type Slices, type Turn } from "./slices.ts";

/** Looks at everything; ends early where the turn is over. */
export async function look(
  kit: Kit,
  wanted: Look,
  slices: Slices,
  turn: Turn,
  found: (finding: Finding) => void,
): Promise<void> {
  try {
    await inOrder(kit, wanted, slices, turn, found);
  } catch (thrown) {
    if (!(thrown instanceof Over)) throw thrown;
  }
}

async function inOrder(
  kit: Kit,
  { grammar, pieces, tests, gap }: Look,
  slices: Slices,
  turn: Turn,
  found: (finding: Finding) => void,
): Promise<void> {
  const opened = await kit.open(grammar, pieces);
  if ("fault" in opened) return found({ about: "grammar", fault: opened.fault });
  const { bench, choices, info, millis } = opened;
  found({ about: "grammar", info, millis });
  await slices.rest();
  let text: string | undefined;
  await slices.next(turn);
  try {
    const asked = performance.now();
    const completed = bench.complete(pieces);
    found({ about: "verdict", completed, millis: performance.now() - asked });
    text = completed?.text;
  } catch (thrown) {
    found({ about: "verdict", fault: faultOf(thrown) });
  }
  await slices.rest();
  await slices.next(turn);
  if (text === undefined) {
    try {
      found({ about: "explanation", explanation: bench.explain(pieces) });
    } catch (thrown) {
      found({ about: "explanation", fault: faultOf(thrown) });
    }
  }
  for (const [at, test] of tests.entries()) {
    await slices.next(turn);
    try {
      const belongs = bench.complete(test.pieces) !== null;
      found({ about: "test", at, result: { belongs } });
    } catch (thrown) {
      found({ about: "test", at, result: { fault: faultOf(thrown) } });
    }
  }
  if (text === undefined) return;
  await slices.rest();
  if (gap !== null) {
    const tell = (choices: Choices) => found({ about: "choices", choices });
    await choices.find(pieces, gap, slices, turn, tell);
    await slices.rest();
  }
  await slices.next(turn);
  // It may take longer than all the rest.
  try {
    found({ about: "tree", text, nodes: bench.derive(text) });
  } catch (thrown) {
    found({ about: "tree", text, fault: faultOf(thrown) });
  }
}
