import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashKey } from '../../configuration/snapshot/configuration.ts';
import { generateApiKey, hasKeyChecksum, keyPreview, parseApiKey } from './api-key.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a generated key is its prefix, 32 random characters and their checksum', () => {
  for (const kind of ['public', 'secret'] as const) {
    const key = generateApiKey(kind);
    expect(key).toMatch(
      kind === 'public' ? /^service_pub_[A-Za-z0-9]{38}$/ : /^service_sec_[A-Za-z0-9]{38}$/,
    );
    const body = key.slice(12);
    const checksum = [...body.slice(32)].reduce(
      (sum, character) => sum * 62 + ALPHABET.indexOf(character),
      0,
    );
    expect(checksum).toBe(crc32(body.slice(0, 32)));
    expect(parseApiKey(key)).toEqual({ kind, body });
    expect(hasKeyChecksum(key)).toBe(true);
  }
});

test('one wrong character breaks the checksum', () => {
  const key = generateApiKey('secret');
  fc.assert(
    fc.property(fc.integer({ min: 12, max: 49 }), fc.constantFrom(...ALPHABET), (position, character) => {
      const changed = key.slice(0, position) + character + key.slice(position + 1);
      expect(hasKeyChecksum(changed)).toBe(changed === key);
    }),
  );
});

test('every character is equally likely at every position', () => {
  const counts = new Map<string, number>();
  const keys = 20_000;
  for (let index = 0; index < keys; index++) {
    for (const character of generateApiKey('public').slice(12, 44)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  const expected = (keys * 32) / 62;
  const chiSquare = [...ALPHABET].reduce(
    (sum, c) => sum + ((counts.get(c) ?? 0) - expected) ** 2 / expected,
    0,
  );
  // 61 degrees of freedom: above 130 with a chance of one in a million; modulo 256 without rejection gives 3,000.
  expect(chiSquare).toBeLessThan(130);
});

test('malformed keys are rejected', () => {
  const malformed = ['', 'service_pub_', `service_pub_${'a'.repeat(15)}`, `service_pub_${'a'.repeat(129)}`];
  malformed.push(
    `service_pub_${'a'.repeat(20)} `,
    `Service_pub_${'a'.repeat(20)}`,
    `service_pub_${'ä'.repeat(20)}`,
  );
  for (const text of malformed) expect(parseApiKey(text), text).toBeUndefined();
  expect(parseApiKey(`service_sec_${'a_-Z'.repeat(4)}`)?.kind).toBe('secret');
  expect(hasKeyChecksum(`service_sec_${'a'.repeat(38)}`)).toBe(false);
});

test('the preview and the stored hash do not reveal the key', () => {
  const key = generateApiKey('secret');
  const { prefix, lastFour } = keyPreview(key);
  expect(key.startsWith(prefix)).toBe(true);
  expect(prefix.length + lastFour.length).toBe(12 + 8);
  expect(hashKey(key)).toMatch(/^[0-9a-f]{64}$/);
  expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
