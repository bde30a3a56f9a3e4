import { describe, expect, it } from "vitest";
import { type DecodingOptions, readDecoding } from "../src/decoding.ts";
import { LacunaError } from "../src/fault.ts";

describe("how to decode", () => {
  it("is told by what is given, and nothing else of a call", () => {
    const options = { prompt: "hello", steps: 4, order: "margin", topK: 3 } as const;
    expect(readDecoding(options)).toEqual({ order: "margin", topK: 3 });
  });

  it("knows being unconstrained as a method", () => {
    expect(readDecoding({ unconstrained: true })).toEqual({ method: "unconstrained" });
    expect(readDecoding({ unconstrained: false, method: "epic" })).toEqual({ method: "epic" });
    expect(() => readDecoding({ unconstrained: true, method: "epic" })).toThrow("epic");
  });

  const right: readonly DecodingOptions[] = [
    { schedule: "cosine" },
    { schedule: { threshold: 0.9 } },
    { schedule: { factor: 1.5 } },
    { masksAfter: "never" },
    { block: 8, keyCache: "dual" },
    { masksAfter: 0 },
    { foresight: 0 },
    { bias: [[3, -1.5]], ban: [7] },
    { temperature: 0, earlyStop: false, refusals: 0 },
  ];
  for (const options of right) {
    it(`takes ${JSON.stringify(options)}`, () => expect(readDecoding(options)).toEqual(options));
  }

  const wrong: readonly [Record<string, unknown>, string][] = [
    [{ method: "dingo" }, '"lacuna", "epic", "mundler", "unconstrained"'],
    [{ schedule: "quick" }, "{ threshold }"],
    [{ schedule: { threshold: 2 } }, "at most 1"],
    [{ schedule: { threshold: 0.5, factor: 1 } }, "{ factor }"],
    [{ schedule: { factor: 0 } }, "above 0"],
    [{ order: "confidense" }, '"confidence"'],
    [{ commit: "all" }, '"bisect"'],
    [{ keyCache: "all" }, '"prefix"'],
    [{ recovery: "none" }, '"guided"'],
    [{ temperature: -1 }, "from 0 up"],
    [{ temperature: Number.NaN }, "from 0 up"],
    [{ foresight: -0.5 }, "from 0 up"],
    [{ topK: 0 }, "from 1 up"],
    [{ topK: 1.5 }, "whole number"],
    [{ topP: 0 }, "above 0 and at most 1"],
    [{ minP: 1.1 }, "above 0 and at most 1"],
    [{ repetitionPenalty: 0 }, "between 1e-6"],
    [{ bias: { 3: 1 } }, "pairs"],
    [{ ban: [-1] }, "ids of tokens"],
    [{ masksAfter: "sometimes" }, '"never"'],
    [{ remask: 0 }, "above 0"],
    [{ earlyStop: 1 }, "true or false"],
    [{ block: 0 }, "from 1 up"],
  ];
  for (const [options, words] of wrong) {
    it(`refuses ${JSON.stringify(options)} by name`, () => {
      const [name] = Object.keys(options);
      const read = () => readDecoding(options as DecodingOptions);
      expect(read).toThrow(LacunaError);
      expect(read).toThrow(name as string);
      expect(read).toThrow(words);
    });
  }
});
