import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ReportSnapshots } from './report-snapshots.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Queries twice, with a change in between; each query takes `costMs`. */
async function queryTwice(costMs: number, exposures: number, fresh = false): Promise<unknown[]> {
  const snapshots = new ReportSnapshots();
  const request = (value: string, changes: number) => ({
    key: 'counts',
    changes,
    fresh,
    exposures: () => exposures,
    take: async () => {
      await vi.advanceTimersByTimeAsync(costMs);
      return value;
    },
  });
  const first = await snapshots.get(request('before', 0));
  const second = await snapshots.get(request('after', 1));
  return [first.value, second.value];
}

test('cheap results are always current', async () => {
  expect(await queryTwice(10, 5_000_000)).toEqual(['before', 'after']);
});

test('expensive results may be slightly old, unless `fresh` is set', async () => {
  expect(await queryTwice(900, 5_000_000)).toEqual(['before', 'before']);
  expect(await queryTwice(900, 5_000_000, true)).toEqual(['before', 'after']);
});

test('results that hardly change may be as old as the request says', async () => {
  const snapshots = new ReportSnapshots();
  const get = async (value: string, changes: number, maxAgeMs: number) => {
    const take = async () => value;
    return (await snapshots.get({ key: 'a', changes, fresh: false, maxAgeMs, exposures: () => 1, take }))
      .value;
  };
  expect(await get('first', 0, 1000)).toBe('first');
  await vi.advanceTimersByTimeAsync(999);
  expect(await get('second', 1, 1000)).toBe('first');
  expect(await get('third', 1, 500)).toBe('third');
  await vi.advanceTimersByTimeAsync(1001);
  expect(await get('fourth', 2, 1000)).toBe('fourth');
});

test('results of few exposures are never expensive, even on a busy machine', async () => {
  expect(await queryTwice(900, 200)).toEqual(['before', 'after']);
});

test('the cache is limited in entries and size', async () => {
  const snapshots = new ReportSnapshots();
  let taken = 0;
  const query = (key: string, value: unknown) =>
    snapshots.get({
      key,
      changes: 0,
      fresh: false,
      exposures: () => 1,
      take: async () => {
        taken += 1;
        return value;
      },
    });
  await query('small', 1);
  await query('small', 1);
  expect(taken).toBe(1);
  const large = 'x'.repeat(6 * 1024 * 1024);
  for (const key of ['a', 'b', 'c']) await query(key, large);
  await query('c', large);
  expect(taken).toBe(4);
  await query('a', large);
  expect(taken).toBe(5);
  for (let index = 0; index < 250; index++) await query(`entry ${index}`, 1);
  await query('entry 0', 1);
  expect(taken).toBe(256);
});
