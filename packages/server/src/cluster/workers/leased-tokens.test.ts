import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TokenBuckets } from '../../http/access/token-buckets.ts';
import { LeasedTokens } from './leased-tokens.ts';

const PER_SECOND = 200;
const SECONDS = 4;
const WORKERS = 3;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'setImmediate', 'setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function createWorkers(): LeasedTokens[] {
  const buckets = new TokenBuckets({ perKey: PER_SECOND, perAddress: 0 });
  const share = 1 / 4 / WORKERS;
  return Array.from(
    { length: WORKERS },
    () =>
      new LeasedTokens({
        lease: async (wanted) => wanted.map(([kind, id, count]) => buckets.lease(kind, id, count, share)),
        giveBack: (unused) => {
          for (const [kind, id, count] of unused) buckets.giveBack(kind, id, count);
        },
      }),
  );
}

it('workers together use the limit, and exceed it by no more than a tenth of a second', async () => {
  const seed = Date.now() % 2 ** 31;
  console.log(`seed ${seed}`);
  const random = mulberry32(seed);
  const workers = createWorkers();
  const grantedAt: number[] = [];
  const take = async (worker: LeasedTokens) => {
    if ((await worker.take('key', 'one')) >= 0) grantedAt.push(performance.now());
  };
  let demand = 1;
  for (let ms = 0; ms < 1000 * SECONDS; ms++) {
    // Sometimes many requests, sometimes few, and not the same number for each worker.
    if (ms % 50 === 0) demand = random() < 0.2 ? 0 : 3 * random();
    for (const [i, worker] of workers.entries()) {
      for (let n = 0; n < Math.floor(demand * random() * (i + 1)); n++) void take(worker);
    }
    await vi.advanceTimersByTimeAsync(1);
  }
  // In any period: what a full bucket has, what is refilled, and what workers may have kept.
  const allowed = (from: number, to: number) =>
    PER_SECOND * (1 + (grantedAt[to]! - grantedAt[from]!) / 1000 + 0.1) + 1;
  let excess = Number.NEGATIVE_INFINITY;
  for (let from = 0; from < grantedAt.length; from++) {
    for (let to = from; to < grantedAt.length; to++) {
      excess = Math.max(excess, to - from + 1 - allowed(from, to));
    }
  }
  expect(excess, `seed ${seed}`).toBeLessThanOrEqual(0);
  expect(grantedAt.length, `seed ${seed}`).toBeGreaterThan(0.6 * PER_SECOND * (1 + SECONDS));
});

it('tokens that were kept for too long are not used', async () => {
  const workers = createWorkers();
  let granted = 0;
  const take = async (worker: LeasedTokens) => {
    if ((await worker.take('key', 'one')) >= 0) granted += 1;
  };
  // Each gets many more than it asks for.
  for (const worker of workers) void take(worker);
  await vi.advanceTimersByTimeAsync(1);
  expect(granted).toBe(WORKERS);
  // Until the bucket is full again.
  await vi.advanceTimersByTimeAsync(500);
  granted = 0;
  for (let n = 0; n < PER_SECOND; n++) for (const worker of workers) void take(worker);
  await vi.advanceTimersByTimeAsync(1);
  expect(granted).toBeGreaterThanOrEqual(PER_SECOND);
  expect(granted).toBeLessThanOrEqual(PER_SECOND + 1);
});

it('is exact when little is left', async () => {
  const buckets = new TokenBuckets({ perKey: 5, perAddress: 0 });
  const lease = (wanted: number) => buckets.lease('key', 'one', wanted, 1 / 8);
  expect(lease(2)).toMatchObject({ granted: 2, surplus: 0, left: 3 });
  expect(lease(9)).toMatchObject({ granted: 3, surplus: 0, left: 0, waitMs: 0 });
  const none = lease(1);
  expect(none).toMatchObject({ granted: 0, left: 0 });
  expect(none.waitMs).toBeCloseTo(200);
  buckets.giveBack('key', 'one', 1);
  expect(lease(2)).toMatchObject({ granted: 1 });
});
