/** Weights in shards, as `models/train/export.py` parts them. */

type Header = Record<string, { data_offsets: [number, number] }>;

export const INDEX = "model.safetensors.index.json";

/**
 * The files that a `model.safetensors` becomes where a shard has at most so many bytes of data,
 * or one tensor; the index last.
 */
export function shardsOf(whole: Uint8Array, most: number): Map<string, Uint8Array<ArrayBuffer>> {
  const length = Number(new DataView(whole.buffer, whole.byteOffset).getBigUint64(0, true));
  const data = whole.subarray(8 + length);
  const { __metadata__, ...header } = JSON.parse(
    new TextDecoder().decode(whole.subarray(8, 8 + length)),
  ) as Header;
  const tensors = Object.entries(header).sort(
    ([, a], [, b]) => a.data_offsets[0] - b.data_offsets[0],
  );
  const shards: { header: Header; parts: Uint8Array[]; bytes: number }[] = [];
  for (const [name, info] of tensors) {
    const bytes = data.subarray(...info.data_offsets);
    let shard = shards.at(-1);
    if (!shard || shard.bytes + bytes.length > most) {
      shard = { header: {}, parts: [], bytes: 0 };
      shards.push(shard);
    }
    const end = shard.bytes + bytes.length;
    shard.header[name] = { ...info, data_offsets: [shard.bytes, end] };
    shard.parts.push(bytes);
    shard.bytes = end;
  }
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const weight_map: Record<string, string> = {};
  for (const [at, { header, parts }] of shards.entries()) {
    const number = (n: number) => String(n).padStart(5, "0");
    const name = `model-${number(at + 1)}-of-${number(shards.length)}.safetensors`;
    for (const tensor of Object.keys(header)) weight_map[tensor] = name;
    const text = Buffer.from(JSON.stringify(header));
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(text.length));
    files.set(name, new Uint8Array(Buffer.concat([size, text, ...parts])));
  }
  const index = { metadata: { total_size: data.length }, weight_map };
  files.set(INDEX, new Uint8Array(Buffer.from(JSON.stringify(index))));
  return files;
}
