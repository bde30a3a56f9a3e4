import { describe, expect, it } from "vitest";
import { pieces, plain } from "../src/page/bytes.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("bytes of a cell", () => {
  it("shows whole characters as they are, of any width", () => {
    expect(pieces(bytes("né名😀"))).toEqual([{ kind: "text", shown: "né名😀" }]);
  });

  it("shows parts of a character as hex", () => {
    const name = bytes("名");
    expect(pieces(name.subarray(0, 2))).toEqual([
      { kind: "byte", shown: "E5" },
      { kind: "byte", shown: "90" },
    ]);
    expect(pieces(name.subarray(2))).toEqual([{ kind: "byte", shown: "8D" }]);
  });

  it("shows what is whole around a part", () => {
    expect(plain(new Uint8Array([0x61, 0xff, 0x62]))).toBe("a<FF>b");
    expect(plain(new Uint8Array([0x8d, 0x22]))).toBe('<8D>"');
  });

  it("makes blanks and control characters visible", () => {
    expect(pieces(bytes(" a\n"))).toEqual([
      { kind: "blank", shown: "␣" },
      { kind: "text", shown: "a" },
      { kind: "blank", shown: "↵" },
    ]);
    expect(plain(bytes("\u0000\u00a0\ufeff"))).toBe("U+0000U+00A0U+FEFF");
    expect(plain(bytes("e\u0301"))).toBe("e\u0301");
    expect(plain(bytes("\u0301e"))).toBe("U+0301e");
  });

  it("never takes surrogates or overlong forms for characters", () => {
    expect(plain(new Uint8Array([0xed, 0xa0, 0x80]))).toBe("<ED><A0><80>");
    expect(plain(new Uint8Array([0xc0, 0x80]))).toBe("<C0><80>");
  });

  it("shows nothing for no bytes", () => {
    expect(pieces(new Uint8Array())).toEqual([]);
  });
});
