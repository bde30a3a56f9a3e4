import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { animate, chunksOf } from "../../scripts/lib/animation.mjs";

/** A grey picture of one row, put together by hand. */
function picture(row: readonly number[], parts = 1): Buffer {
  const header = Buffer.from([0, 0, 0, row.length, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const data = deflateSync(Buffer.from([0, ...row]));
  const cut = Math.ceil(data.length / parts);
  const datas = Array.from({ length: parts }, (_, part) =>
    data.subarray(part * cut, (part + 1) * cut),
  );
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...[chunk("IHDR", header), ...datas.map((data) => chunk("IDAT", data))],
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

describe("an animation", () => {
  const rows = [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9],
  ] as const;
  const frames = rows.map((row, index) => ({ png: picture(row, index + 1), ms: 100 * index }));
  const chunks = chunksOf(animate(frames));

  it("holds every frame's data, in order", () => {
    const seen: Buffer[][] = [];
    for (const { type, data } of chunks) {
      if (type === "fcTL") seen.push([]);
      if (type === "IDAT") seen.at(-1)?.push(data);
      if (type === "fdAT") seen.at(-1)?.push(data.subarray(4));
    }
    const pixels = seen.map((parts) => [...inflateSync(Buffer.concat(parts))].slice(1));
    expect(pixels).toEqual(rows);
  });

  it("numbers what has to be numbered, and says how long each frame is shown", () => {
    const numbered = chunks.filter(({ type }) => type === "fcTL" || type === "fdAT");
    expect(numbered.map(({ data }) => data.readUInt32BE(0))).toEqual(numbered.map((_, at) => at));
    const controls = chunks.filter(({ type }) => type === "fcTL");
    expect(controls.map(({ data }) => data.readUInt16BE(20))).toEqual([0, 100, 200]);
    const control = chunks.find(({ type }) => type === "acTL");
    expect(control?.data.readUInt32BE(0)).toBe(3);
  });

  it("is refused of frames that differ in size, and of what is no picture", () => {
    const other = { png: picture([1]), ms: 1 };
    expect(() => animate([...frames, other])).toThrow("same size");
    expect(() =>
      animate([{ png: Buffer.from("GIF89a, a picture of another kind"), ms: 1 }]),
    ).toThrow("no PNG");
  });
});
