// What a WebAssembly module's bytes are made of.

/** A number in LEB128 without a sign: its value, and where it ends. */
export function readNumber(module, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = module[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, at };
  }
}

/** A number as LEB128 without a sign. */
export function writeNumber(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value & 0x7f) | 0x80);
  return Buffer.of(...bytes, value);
}

/** The sections: their number, where they begin, and what is in them from `start` to `end`. */
export function sectionsOf(module) {
  const sections = [];
  for (let from = 8; from < module.length; ) {
    const { value: size, at: start } = readNumber(module, from + 1);
    sections.push({ id: module[from], from, start, end: start + size });
    from = start + size;
  }
  return sections;
}
