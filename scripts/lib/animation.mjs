// Pictures of the same size as an animated PNG: each frame's own compressed data, put
// together under the headers that PNG's third edition adds. No pixel is touched.

import { crc32 } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** An animation that runs for ever. `frames` are `{ png, ms }`, in order, all alike. */
export function animate(frames) {
  const pictures = frames.map(({ png }) => chunksOf(png));
  const header = headerOf(pictures[0]);
  if (!pictures.every((picture) => headerOf(picture).equals(header)))
    throw new Error("frames of an animation must have the same size and colours");
  const parts = [SIGNATURE, chunk("IHDR", header), chunk("acTL", numbers(frames.length, 0))];
  let sequence = 0;
  pictures.forEach((picture, index) => {
    parts.push(chunk("fcTL", control(sequence++, header, frames[index].ms)));
    for (const { type, data } of picture) {
      if (type !== "IDAT") continue;
      if (index === 0) parts.push(chunk("IDAT", data));
      else parts.push(chunk("fdAT", Buffer.concat([numbers(sequence++), data])));
    }
  });
  return Buffer.concat([...parts, chunk("IEND", Buffer.alloc(0))]);
}

/** What a PNG is made of. */
export function chunksOf(png) {
  if (!png.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error("this is no PNG");
  const chunks = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    chunks.push({ type, data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function headerOf(chunks) {
  const header = chunks.find(({ type }) => type === "IHDR");
  if (!header) throw new Error("a PNG without a header");
  return header.data;
}

/** A frame of the whole size, shown for so long, in place of the one before. */
function control(sequence, header, ms) {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const delay = Buffer.alloc(6);
  delay.writeUInt16BE(ms, 0);
  delay.writeUInt16BE(1000, 2);
  return Buffer.concat([numbers(sequence, width, height, 0, 0), delay]);
}

function numbers(...values) {
  const buffer = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    buffer.writeUInt32BE(value, index * 4);
  });
  return buffer;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([numbers(data.length), body, numbers(crc32(body))]);
}
