/** SHA-256, by the platform; by hand on pages that are not secure, where it has none. */

/** The hash of some bytes, as hexadecimal digits. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { subtle } = globalThis.crypto ?? {};
  const hash = subtle ? new Uint8Array(await subtle.digest("SHA-256", bytes)) : byHand(bytes);
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** FIPS 180-4. */
export function byHand(bytes: Uint8Array): Uint8Array {
  const [constants, state] = roots();
  const padded = new Uint8Array(((bytes.length + 72) >>> 6) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const w = new Uint32Array(64);
  const at = (words: Uint32Array, index: number): number => words[index] ?? 0;
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        w[i] = view.getUint32(block + 4 * i);
        continue;
      }
      const [x, y] = [at(w, i - 15), at(w, i - 2)];
      const s0 = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
      const s1 = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
      w[i] = at(w, i - 16) + s0 + at(w, i - 7) + s1;
    }
    const v = state.slice();
    for (let i = 0; i < 64; i++) {
      const [a, b, c, e, f, g] = [at(v, 0), at(v, 1), at(v, 2), at(v, 4), at(v, 5), at(v, 6)];
      const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const first = at(v, 7) + s1 + ((e & f) ^ (~e & g)) + at(constants, i) + at(w, i);
      const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
      const second = s0 + ((a & b) ^ (a & c) ^ (b & c));
      v.copyWithin(1, 0, 7);
      v[4] = at(v, 4) + first;
      v[0] = first + second;
    }
    for (let i = 0; i < 8; i++) state[i] = at(state, i) + at(v, i);
  }
  const hash = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => {
    hash.setUint32(4 * index, word);
  });
  return new Uint8Array(hash.buffer);
}

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The first bits of the cube roots of the first 64 primes, and of 8 square roots. */
function roots(): [Uint32Array, Uint32Array] {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  const fraction = (root: number): number => (root - Math.floor(root)) * 0x1_0000_0000;
  return [
    Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
    Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
  ];
}
