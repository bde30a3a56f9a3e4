/** The engine's side of the playground: one look at a time, the newest. */

import { describeThrown } from "../lacuna/src/fault.ts";
import { plain } from "../src/page/bytes.ts";
import { another } from "./engine/another.ts";
import { type EnginePiece, faultOf } from "./engine/bench.ts";
import { gapIndex, putFirst } from "./engine/choices.ts";
import { Kit, type Opened } from "./engine/kit.ts";
import { look } from "./engine/looking.ts";
import { Over, Slices, type Turn } from "./engine/slices.ts";
import { decodeWhole } from "./engine/utf8.ts";
import init from "./pkg/lacuna_wasm.js";
import type {
  Answers,
  Assets,
  Explanation,
  FromWorker,
  Look,
  Question,
  ToWorker,
} from "./protocol.ts";

const say = (message: FromWorker) => self.postMessage(message);
const slices = new Slices(() => say({ kind: "alive" }));

let kit: Promise<Kit> | undefined;
let newest = 0;
let pieces: Look["pieces"] = [];
/** Whoever comes waits until who came before is through. */
let last: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "look") newest = data.turn;
  last = last
    .then(() => (data.kind === "look" ? looked(data) : answered(data)))
    .catch((thrown: unknown) => say({ kind: "broken", fault: describeThrown(thrown).fault }));
};

async function looked({ turn, look: wanted, assets }: ToWorker & { kind: "look" }): Promise<void> {
  if (turn !== newest) return;
  kit ??= load(assets);
  const loaded = await kit;
  say({ kind: "begun", turn });
  const { pieces: asked } = wanted;
  pieces = asked;
  await look(loaded, wanted, slices, turnOf(turn), (finding) =>
    say({ kind: "found", turn, finding }),
  );
  say({ kind: "looked", turn });
}

async function load(assets: Assets): Promise<Kit> {
  await init({ module_or_path: assets.wasm });
  say({ kind: "ready" });
  return new Kit(assets, {
    loading: (isLoading) => say({ kind: isLoading ? "loading" : "ready" }),
    tokens({ spellings }) {
      const told = spellings.map((it) => it && decodeWhole(it));
      say({ kind: "found", turn: newest, finding: { about: "tokens", spellings: told } });
    },
  });
}

async function answered({ id, question }: ToWorker & { kind: "ask" }): Promise<void> {
  try {
    const current = (await kit)?.current;
    if (!current || "fault" in current) {
      const fault = current?.fault ?? { kind: "invalid-input", message: "There is no grammar." };
      return say({ kind: "refusal", id, fault });
    }
    say({ kind: "answer", id, answer: await answerTo(question, current) });
  } catch (thrown) {
    const over = { kind: "cancelled", message: "Something newer was looked at." };
    say({ kind: "refusal", id, fault: thrown instanceof Over ? over : faultOf(thrown) });
  }
}

async function answerTo(
  question: Question,
  { bench, choices }: Opened,
): Promise<Answers[keyof Answers]> {
  switch (question.ask) {
    case "derive":
      return bench.derive(question.text);
    case "export":
      return bench.export(question.dialect);
    case "another":
      return another(bench, pieces, choices.letters(), question, slices, turnOf(newest));
    case "try": {
      const at = gapIndex(pieces, question.gap);
      const isToken = "token" in question;
      const first = isToken
        ? decodeWhole(bench.vocabulary.spellings[question.token] ?? new Uint8Array())
        : question.text;
      const tried = putFirst(pieces, at, first, isToken);
      const explanation = bench.explain(tried);
      return { explanation, before: beforeBreak(tried, explanation) };
    }
  }
}

/** What stands right before a break, gaps as `□`. */
function beforeBreak(tried: readonly EnginePiece[], explanation: Explanation): string {
  if (explanation.why !== "breaks") return "";
  const { segment, offset } = explanation;
  const written = tried.slice(0, segment + 1).map((piece, at) => {
    if (piece === null || typeof piece === "number") return "□";
    // Offsets into bytes are counted in bytes.
    if (typeof piece !== "string") return plain(at === segment ? piece.subarray(0, offset) : piece);
    return at === segment ? piece.slice(0, offset) : piece;
  });
  const all = Array.from(written.join(""));
  return all.length > 32 ? `…${all.slice(-32).join("")}` : all.join("");
}

const turnOf = (turn: number): Turn => ({
  get isOver() {
    return turn !== newest;
  },
});
