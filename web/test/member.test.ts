import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { judgeMember } from "../src/page/member.ts";
import type { Answer, Question } from "../src/page/member.worker.ts";

class FakeWorker extends EventTarget {
  static all: FakeWorker[] = [];
  readonly asked: Question[] = [];
  ended = false;

  constructor() {
    super();
    FakeWorker.all.push(this);
  }

  postMessage(question: Question): void {
    this.asked.push(question);
  }

  terminate(): void {
    this.ended = true;
  }

  /** Answers the oldest question. */
  say(answer: Omit<Answer, "id">): void {
    const data = { id: this.asked.shift()?.id, ...answer };
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
}

let judge: typeof judgeMember;

beforeEach(async () => {
  FakeWorker.all = [];
  vi.stubGlobal("Worker", FakeWorker);
  vi.resetModules();
  ({ judgeMember: judge } = await import("../src/page/member.ts"));
});
afterEach(() => void vi.unstubAllGlobals());

const ask = () => judge("a", 'start: "a"', "");

test("a worker whose engine broke is ended, whoever waits is told, and the next starts another", async () => {
  const asked = [ask(), ask()];
  const [first] = FakeWorker.all;
  first?.say({ error: "The engine broke: unreachable.", isBroken: true });
  const told = { word: "Not judged", problems: ["The engine broke: unreachable"] };
  expect(await Promise.all(asked)).toMatchObject([told, told]);
  expect(first?.ended).toBe(true);
  const again = ask();
  expect(FakeWorker.all).toHaveLength(2);
  FakeWorker.all[1]?.say({ member: true });
  expect(await again).toMatchObject({ valid: true, word: "In the grammar" });
});

test("a worker that could not judge a text is kept", async () => {
  const asked = ask();
  FakeWorker.all[0]?.say({ error: "The budget is used up.", isBroken: false });
  expect(await asked).toMatchObject({ word: "Not judged" });
  const again = ask();
  expect(FakeWorker.all).toHaveLength(1);
  FakeWorker.all[0]?.say({ member: false });
  expect(await again).toMatchObject({ valid: false, word: "Not in it" });
});
