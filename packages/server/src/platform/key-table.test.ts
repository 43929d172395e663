import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyHasher } from '../events/duckdb/ingest/lookup/key-hasher.ts';
import { KeyTable } from './key-table.ts';

test('a key table behaves like a Map', () => {
  const half = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer());
  const key = fc.tuple(half, half).filter(([low, high]) => low !== 0 || high !== 0);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(key, fc.integer()), { maxLength: 3000, size: 'max' }),
      fc.array(key),
      (entries, others) => {
        const table = new KeyTable('numbers');
        const keys = new KeyTable('keys');
        const map = new Map<string, number>();
        for (const [[low, high], value] of entries) {
          table.set(low, high, value);
          keys.set(low, high);
          map.set(`${low} ${high}`, value);
        }
        expect([table.size, keys.size]).toEqual([map.size, map.size]);
        for (const [low, high] of [...entries.map(([it]) => it), ...others]) {
          expect(table.get(low, high)).toBe(map.get(`${low} ${high}`));
          expect(keys.has(low, high)).toBe(map.has(`${low} ${high}`));
        }
      },
    ),
    { seed: 1, numRuns: 20 },
  );
});

test('keys differ by property, kind, id and hash key, and split into their halves', () => {
  const [one, two] = [new KeyHasher('f'.repeat(32)), new KeyHasher('0123456789abcdef'.repeat(2))];
  const keys = [one, two].flatMap((hasher) =>
    ['shop', 'blog'].flatMap((property) =>
      ['', 'a', 'b', '\ud800'].flatMap((id) => [
        hasher.sessionHash(property, id).value,
        hasher.visitorKey(property, id),
        hasher.userKey(property, id),
      ]),
    ),
  );
  expect(new Set(keys).size).toBe(keys.length);
  const { low, high, value } = one.sessionHash('shop', 'x');
  expect((BigInt(high) << 32n) | BigInt(low >>> 0)).toBe(value);
  expect(one.sessionHash('shop', '\ud800')).toEqual(one.sessionHash('shop', '\ufffd'));
});

test('100,000 sequential session ids have distinct keys', () => {
  const hasher = new KeyHasher('2a'.repeat(16));
  const keys = new KeyTable('keys');
  for (let number = 0; number < 100_000; number++) {
    const { low, high } = hasher.sessionHash('shop', `session-${number}`);
    keys.set(low, high);
  }
  expect(keys.size).toBe(100_000);
});
