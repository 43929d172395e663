import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashFraction, hashFractionAfter, murmur3 } from './hash.ts';
import { smallHashFraction } from './small-hash.ts';

interface HashCase {
  name: string;
  text: string;
  seed: number;
  hash: number;
  fraction?: number;
}

// Parsed here instead of imported, because a bundler may replace lone surrogates.
const file = readFileSync(new URL('../cases/hash.json', import.meta.url), 'utf8');
const { cases } = JSON.parse(file) as { cases: HashCase[] };
const SEED = 1729;

describe('hash vectors', () => {
  it.each(cases)('$name', ({ text, seed, hash, fraction }) => {
    expect(murmur3(text, seed)).toBe(hash);
    if (fraction === undefined) return;
    expect(hashFraction(text)).toBe(fraction);
    expect(smallHashFraction(text)).toBe(fraction);
  });
});

describe(`hash properties (seed ${SEED})`, () => {
  // Any UTF-16 code units, including lone surrogates.
  const anyText = fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  });

  it('hashes the bytes of TextEncoder', () => {
    const wellFormed = (text: string) =>
      new TextDecoder().decode(new TextEncoder().encode(`.${text}`)).slice(1);
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: 'binary' })), (text) => {
        expect(murmur3(text)).toBe(murmur3(wellFormed(text)));
      }),
      { seed: SEED },
    );
  });

  it('equals the small implementation', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: 'binary' })), (text) => {
        expect(smallHashFraction(text)).toBe(hashFraction(text));
      }),
      { seed: SEED },
    );
  });

  it('gives the same result with a separate prefix', () => {
    const whole = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(whole, whole, (prefix, text) => {
        expect(hashFractionAfter(`${prefix}:`)(text)).toBe(hashFraction(`${prefix}:${text}`));
      }),
      { seed: SEED },
    );
  });

  it('does not mix up two prefixes that are used in turn', () => {
    const one = hashFractionAfter('one:');
    const two = hashFractionAfter('two:');
    expect([one('a'), two('a'), one('b'), two('b'), one('a')]).toEqual(
      ['one:a', 'two:a', 'one:b', 'two:b', 'one:a'].map(hashFraction),
    );
  });

  it('hashes the first character beyond ASCII as two bytes, wherever it stands between zeros', () => {
    for (const text of ['a\u0080\0\0', 'a\0\u0080\0', 'a\0\0\u0080', '\u0080\0\0\0']) {
      expect(hashFraction(text)).toBe(smallHashFraction(text));
    }
  });

  it('is a fraction below 1', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const fraction = hashFraction(text);
        expect(fraction >= 0 && fraction < 1).toBe(true);
      }),
      { seed: SEED },
    );
  });
});
