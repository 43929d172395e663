import { expect, test } from 'vitest';
import { decodeListCursor, decodeTimelineCursor, encodeListCursor, encodeTimelineCursor } from './paging.ts';

const encoded = (position: unknown) => Buffer.from(JSON.stringify(position)).toString('base64url');

test('cursors survive the round trip', () => {
  const asOf = { local: 7, '0123456789ab': 9 };
  expect(decodeListCursor(encodeListCursor({ at: 5, id: 'x' }, asOf)!)).toEqual({ at: 5, id: 'x', asOf });
  expect(decodeListCursor(encodeListCursor({ at: 5, id: 'x' })!)).toEqual({ at: 5, id: 'x' });
  const position = { at: 5, source: '0123456789ab', ordinal: 512 };
  expect(decodeTimelineCursor(encodeTimelineCursor(position)!)).toEqual(position);
});

test('a cursor of very many nodes is not too long', () => {
  const asOf = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n}`.padStart(12, '0'), 1e6]));
  const cursor = encodeListCursor({ at: 5, id: 'x' }, asOf)!;
  expect(cursor.length).toBeLessThanOrEqual(4096);
  expect(decodeListCursor(cursor)).toEqual({ at: 5, id: 'x' });
});

test.each([
  [[5, 'x', 7]],
  [[5, 'x', { local: '7' }]],
  [[5, 'x', [7]]],
  [[5, 'x', 'local']],
  [[5, 'x', Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [n, n]))]],
])('rejects %j as a list cursor', (position) => {
  expect(decodeListCursor(encoded(position))).toBeUndefined();
});

test.each([[[5, 512]], [[5, 512, 7]], [[5, 512, 'x'.repeat(65)]], [[5, 512, null]]])(
  'rejects %j as a timeline cursor',
  (position) => {
    expect(decodeTimelineCursor(encoded(position))).toBeUndefined();
  },
);
