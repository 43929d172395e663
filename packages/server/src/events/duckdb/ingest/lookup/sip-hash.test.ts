import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SipHash } from './sip-hash.ts';

/** The authors' test vectors: hashes of the bytes 0, 1, 2, … of length 0 to 63 with the key 0, 1, …, 15; little-endian. */
const VECTORS = `
  310e0edd47db6f72 fd67dc93c539f874 5a4fa9d909806c0d 2d7efbd796666785 b7877127e09427cf 8da699cd64557618
  cee3fe586e46c9cb 37d1018bf50002ab 6224939a79f5f593 b0e4a90bdf82009e f3b9dd94c5bb5d7a a7ad6b22462fb3f4
  fbe50e86bc8f1e75 903d84c02756ea14 eef27a8e90ca23f7 e545be4961ca29a1 db9bc2577fcc2a3f 9447be2cf5e99a69
  9cd38d96f0b3c14b bd6179a71dc96dbb 98eea21af25cd6be c7673b2eb0cbf2d0 883ea3e395675393 c8ce5ccd8c030ca8
  94af49f6c650adb8 eab8858ade92e1bc f315bb5bb835d817 adcf6b0763612e2f a5c91da7acaa4dde 716595876650a2a6
  28ef495c53a387ad 42c341d8fa92d832 ce7cf2722f512771 e37859f94623f3a7 381205bb1ab0e012 ae97a10fd434e015
  b4a31508beff4d31 81396229f0907902 4d0cf49ee5d4dcca 5c73336a76d8bf9a d0a704536ba93e0e 925958fcd6420cad
  a915c29bc8067318 952b79f3bc0aa6d4 f21df2e41d4535f9 87577519048f53a9 10a56cf5dfcd9adb eb75095ccd986cd0
  51a9cb9ecba312e6 96afadfc2ce666c7 72fe52975a4364ee 5a1645b276d592a1 b274cb8ebf87870a 6f9bb4203de7b381
  eaecb2a30b22a87f 9924a43cc1315724 bd838d3aafbf8db7 0b1a2a3265d51aea 135079a3231ce660 932b2846e4d70666
  e1915f5cb1eca46c f325965ca16d629f 575ff28e60381be5 724506eb4c328a95`;

const KEY = Uint8Array.from({ length: 16 }, (_, index) => index);

function hashOf(text: string): string {
  const hash = new SipHash(KEY);
  hash.hash(text);
  const bytes = Buffer.alloc(8);
  bytes.writeInt32LE(hash.low, 0);
  bytes.writeInt32LE(hash.high, 4);
  return bytes.toString('hex');
}

test('matches the published test vectors', () => {
  const vectors = VECTORS.trim().split(/\s+/);
  expect(vectors).toHaveLength(64);
  const ascii = (length: number) => String.fromCharCode(...Array.from({ length }, (_, index) => index));
  expect(vectors.map((_, length) => hashOf(ascii(length)))).toEqual(vectors);
});

test('agrees with a 64-bit reference implementation for any text (seed 1)', () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  fc.assert(
    fc.property(text, (given) => {
      expect(hashOf(given)).toBe(sipHashOfBytes(Buffer.from(given)));
    }),
    { seed: 1, numRuns: 200 },
  );
  expect(hashOf('x'.repeat(10_000))).toBe(sipHashOfBytes(Buffer.from('x'.repeat(10_000))));
  expect(hashOf('lone \ud800.')).toBe(hashOf('lone \ufffd.'));
});

/** Reference implementation, straight from the paper. */
function sipHashOfBytes(bytes: Buffer): string {
  const key = Buffer.from(KEY);
  const [k0, k1] = [key.readBigUInt64LE(0), key.readBigUInt64LE(8)];
  const v = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ] as [bigint, bigint, bigint, bigint];
  const wide = (value: bigint) => BigInt.asUintN(64, value);
  const rotate = (value: bigint, bits: bigint) => wide((value << bits) | (value >> (64n - bits)));
  const mix = (a: 0 | 2, b: 1 | 3, bits: bigint) => {
    v[a] = wide(v[a] + v[b]);
    v[b] = rotate(v[b], bits) ^ v[a];
  };
  const round = () => {
    mix(0, 1, 13n);
    v[0] = rotate(v[0], 32n);
    mix(2, 3, 16n);
    mix(0, 3, 21n);
    mix(2, 1, 17n);
    v[2] = rotate(v[2], 32n);
  };
  const padded = Buffer.alloc((bytes.length & ~7) + 8);
  bytes.copy(padded);
  padded[padded.length - 1] = bytes.length & 255;
  for (let at = 0; at < padded.length; at += 8) {
    const word = padded.readBigUInt64LE(at);
    v[3] ^= word;
    round();
    round();
    v[0] ^= word;
  }
  v[2] ^= 0xffn;
  for (let i = 0; i < 4; i++) round();
  const result = Buffer.alloc(8);
  result.writeBigUInt64LE(v[0] ^ v[1] ^ v[2] ^ v[3]);
  return result.toString('hex');
}
