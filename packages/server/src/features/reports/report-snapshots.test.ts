import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ReportSnapshots } from './report-snapshots.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Asks twice, with a change between; counting takes `costMs`. */
async function askTwice(costMs: number, exposures: number, fresh = false): Promise<unknown[]> {
  const snapshots = new ReportSnapshots();
  const question = (value: string, changes: number) => ({
    key: 'counts',
    changes,
    fresh,
    exposures: () => exposures,
    take: async () => {
      await vi.advanceTimersByTimeAsync(costMs);
      return value;
    },
  });
  const first = await snapshots.get(question('before', 0));
  const second = await snapshots.get(question('after', 1));
  return [first.value, second.value];
}

test('what is cheap to count is always of this moment', async () => {
  expect(await askTwice(10, 5_000_000)).toEqual(['before', 'after']);
});

test('what is expensive may be a little old, unless it is asked for as of now', async () => {
  expect(await askTwice(900, 5_000_000)).toEqual(['before', 'before']);
  expect(await askTwice(900, 5_000_000, true)).toEqual(['before', 'after']);
});

test('little is never expensive, however busy the machine was', async () => {
  expect(await askTwice(900, 200)).toEqual(['before', 'after']);
});

test('what is kept is bounded in number and in size', async () => {
  const snapshots = new ReportSnapshots();
  let taken = 0;
  const ask = (key: string, value: unknown) =>
    snapshots.get({
      ...{ key, changes: 0, fresh: false, exposures: () => 1 },
      take: async () => {
        taken += 1;
        return value;
      },
    });
  await ask('small', 1);
  await ask('small', 1);
  expect(taken).toBe(1);
  const large = 'x'.repeat(6 * 1024 * 1024);
  for (const key of ['a', 'b', 'c']) await ask(key, large);
  await ask('c', large);
  expect(taken).toBe(4);
  await ask('a', large);
  expect(taken).toBe(5);
  for (let index = 0; index < 250; index++) await ask(`entry ${index}`, 1);
  await ask('entry 0', 1);
  expect(taken).toBe(256);
});
