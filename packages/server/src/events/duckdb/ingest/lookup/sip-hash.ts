const COMPRESSION_ROUNDS = 2;
const FINAL_ROUNDS = 4;

/**
 * SipHash-2-4: a keyed 64-bit hash; without the key, collisions cannot be found. Works on 32-bit halves, because
 * bigints would be allocated at every step.
 *
 * @see https://www.aumasson.jp/siphash/siphash.pdf
 */
export class SipHash {
  /** Halves of the last hash, as signed integers. */
  low = 0;
  high = 0;
  readonly #key: Int32Array;

  /** The key is 16 bytes. */
  constructor(key: Uint8Array) {
    const view = new DataView(key.buffer, key.byteOffset, 16);
    this.#key = Int32Array.from([0, 4, 8, 12], (offset) => view.getInt32(offset, true));
  }

  /** Hashes the UTF-8 bytes of `text` into `low` and `high`. */
  hash(text: string): void {
    const words = paddedWords(text);
    const key = this.#key;
    const [k0, k1, k2, k3] = [key[0] as number, key[1] as number, key[2] as number, key[3] as number];
    let v0l = k0 ^ 0x70736575;
    let v0h = k1 ^ 0x736f6d65;
    let v1l = k2 ^ 0x6e646f6d;
    let v1h = k3 ^ 0x646f7261;
    let v2l = k0 ^ 0x6e657261;
    let v2h = k1 ^ 0x6c796765;
    let v3l = k2 ^ 0x79746573;
    let v3h = k3 ^ 0x74656462;
    for (let at = 0; at <= padded.length; at += 2) {
      // The final rounds follow the last word.
      const isFinal = at === padded.length;
      const ml = isFinal ? 0 : (words[at] as number);
      const mh = isFinal ? 0 : (words[at + 1] as number);
      v3l ^= ml;
      v3h ^= mh;
      if (isFinal) v2l ^= 0xff;
      for (let round = isFinal ? FINAL_ROUNDS : COMPRESSION_ROUNDS; round > 0; round--) {
        let low = (v0l + v1l) | 0;
        v0h = (v0h + v1h + (low >>> 0 < v1l >>> 0 ? 1 : 0)) | 0;
        v0l = low;
        low = (v1l << 13) | (v1h >>> 19);
        v1h = ((v1h << 13) | (v1l >>> 19)) ^ v0h;
        v1l = low ^ v0l;
        low = v0l;
        v0l = v0h;
        v0h = low;

        low = (v2l + v3l) | 0;
        v2h = (v2h + v3h + (low >>> 0 < v3l >>> 0 ? 1 : 0)) | 0;
        v2l = low;
        low = (v3l << 16) | (v3h >>> 16);
        v3h = ((v3h << 16) | (v3l >>> 16)) ^ v2h;
        v3l = low ^ v2l;

        low = (v0l + v3l) | 0;
        v0h = (v0h + v3h + (low >>> 0 < v3l >>> 0 ? 1 : 0)) | 0;
        v0l = low;
        low = (v3l << 21) | (v3h >>> 11);
        v3h = ((v3h << 21) | (v3l >>> 11)) ^ v0h;
        v3l = low ^ v0l;

        low = (v2l + v1l) | 0;
        v2h = (v2h + v1h + (low >>> 0 < v1l >>> 0 ? 1 : 0)) | 0;
        v2l = low;
        low = (v1l << 17) | (v1h >>> 15);
        v1h = ((v1h << 17) | (v1l >>> 15)) ^ v2h;
        v1l = low ^ v2l;
        low = v2l;
        v2l = v2h;
        v2h = low;
      }
      v0l ^= ml;
      v0h ^= mh;
    }
    this.low = v0l ^ v1l ^ v2l ^ v3l;
    this.high = v0h ^ v1h ^ v2h ^ v3h;
  }
}

const encoder = new TextEncoder();

/** Reused buffer, so that hashing does not allocate; `length` is in 32-bit words. */
const padded = { bytes: new Uint8Array(4096), words: new Int32Array(0), length: 0 };
padded.words = new Int32Array(padded.bytes.buffer);

/** The UTF-8 bytes of a text, padded to whole 64-bit words; the last byte is the length. */
function paddedWords(text: string): Int32Array {
  // A UTF-16 unit has at most three bytes.
  const room = text.length * 3 + 8;
  if (room > padded.bytes.length) {
    padded.bytes = new Uint8Array(2 ** Math.ceil(Math.log2(room)));
    padded.words = new Int32Array(padded.bytes.buffer);
  }
  const { bytes } = padded;
  const length = writeAscii(text, bytes) ?? encoder.encodeInto(text, bytes).written;
  const end = (length & ~7) + 8;
  for (let at = length; at < end - 1; at++) bytes[at] = 0;
  bytes[end - 1] = length;
  padded.length = end / 4;
  return padded.words;
}

/** Nearly all ids are short ASCII, which is faster to copy than to pass to the encoder. */
function writeAscii(text: string, bytes: Uint8Array): number | undefined {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return undefined;
    bytes[at] = code;
  }
  return text.length;
}
