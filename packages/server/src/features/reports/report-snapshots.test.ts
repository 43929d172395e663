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
  let changes = 0;
  const snapshots = new ReportSnapshots(() => changes);
  const question = (value: string) => ({
    key: 'counts',
    fresh,
    exposures: () => exposures,
    take: async () => {
      await vi.advanceTimersByTimeAsync(costMs);
      return value;
    },
  });
  const first = await snapshots.get(question('before'));
  changes += 1;
  const second = await snapshots.get(question('after'));
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
