import { expect, test } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

test.each([
  ['120', 120_000],
  ['0', 0],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ['86400', 3_600_000],
  ['-5', 0],
  ['soon', 0],
  ['', 0],
  [null, 0],
  [undefined, 0],
])('%s is %d ms', (value, expected) => {
  expect(parseRetryAfter(value, NOW)).toBe(expected);
});
