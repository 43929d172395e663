/** Available in every JavaScript runtime, but not declared in the ECMAScript libraries. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));
const sigma = (word: number, a: number, b: number): number => rotate(word, a) ^ rotate(word, b);
/** The first 32 bits of the fractional part of a root. */
const rootBits = (value: number, degree: number): number => (value ** (1 / degree) * 2 ** 32) | 0;

const primes: number[] = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
const START = primes.slice(0, 8).map((prime) => rootBits(prime, 2));
const ROUNDS = primes.map((prime) => rootBits(prime, 3));

/**
 * The first 32 hexadecimal digits of the SHA-256 of a text in UTF-8. Small, because pages load it, and synchronous,
 * unlike `crypto.subtle`, which pages without TLS do not have either.
 */
export function smallSha256(text: string): string {
  const input = new TextEncoder().encode(text);
  const padded = new Uint8Array(((input.length + 72) >> 6) << 6);
  padded.set(input);
  padded[input.length] = 128;
  const view = new DataView(padded.buffer);
  view.setInt32(padded.length - 4, input.length * 8);
  let hash = START;
  for (let start = 0; start < padded.length; start += 64) {
    const words: number[] = [];
    let state = hash;
    for (const [i, round] of ROUNDS.entries()) {
      const [a, b, c, d, e, f, g, h] = state as [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      const [early, late] = [words[i - 15]!, words[i - 2]!];
      words[i] =
        i < 16
          ? view.getInt32(start + i * 4)
          : (words[i - 16]! +
              (sigma(early, 7, 18) ^ (early >>> 3)) +
              words[i - 7]! +
              (sigma(late, 17, 19) ^ (late >>> 10))) |
            0;
      const first = h + (sigma(e, 6, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + round + words[i];
      const second = (sigma(a, 2, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      state = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
    }
    hash = hash.map((word, i) => (word + state[i]!) | 0);
  }
  return hash
    .slice(0, 4)
    .map((word) => (word >>> 0).toString(16).padStart(8, '0'))
    .join('');
}
