import { expect, test } from 'vitest';
import { StorageError } from '../../platform/errors/storage-error.ts';
import { limitLookupTime } from './limit-lookup-time.ts';

const identity = { visitorId: 'v-1', userId: null };

test('an identity that is found is returned, from memory without a promise', async () => {
  expect(limitLookupTime(() => identity)('shop', 's-1')).toBe(identity);
  expect(await limitLookupTime(async () => identity)('shop', 's-1')).toBe(identity);
});

test('a session is unknown while the event store is unavailable or does not answer', async () => {
  const unavailable = () => Promise.reject(new StorageError('STORE_UNAVAILABLE', 'unavailable'));
  expect(await limitLookupTime(unavailable)('shop', 's-1')).toBeUndefined();
  const silent = () => new Promise<never>(() => {});
  expect(await limitLookupTime(silent, 1)('shop', 's-1')).toBeUndefined();
});

test('other errors are not hidden', async () => {
  const damaged = () => Promise.reject(new StorageError('STORE_DAMAGED', 'damaged'));
  await expect(limitLookupTime(damaged)('shop', 's-1')).rejects.toThrow('damaged');
});
