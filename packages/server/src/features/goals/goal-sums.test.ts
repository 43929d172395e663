import {
  closeShop,
  expectAccepted,
  nextMillisecond,
  openShop,
  type Shop,
} from '@switchyard/testing/fixtures/shop';
import { FUZZ_SEED, runs } from '@switchyard/testing/random/fuzz';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const MICROS = 1_000_000;

interface Step {
  direction: 1 | -1;
  micros: number;
  /** How often it is sent. */
  sends: number;
  keyed: boolean;
  withSession: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  direction: fc.constantFrom<1 | -1>(1, -1),
  micros: fc.oneof(
    fc.integer({ min: 1, max: 1_000_000_000_000 }),
    fc.integer({ min: 1, max: 99_999 }).map((cents) => cents * 10_000),
    fc.constantFrom(1, 100_000, 200_000, 300_000, 1_005_000, 1_000_000_000_000),
  ),
  sends: fc.integer({ min: 1, max: 4 }),
  keyed: fc.boolean(),
  withSession: fc.boolean(),
});

let keys = 0;
let sequences = 0;

/** The requests of a step: retries with one idempotency key, or separate requests without a key. */
function requests({ direction, micros, sends, keyed, withSession }: Step, sessionId: string) {
  const headers: Record<string, string> = keyed ? { 'idempotency-key': `sum-${++keys}` } : {};
  const body = { goalId: 'revenue', amount: micros / MICROS, ...(withSession ? { sessionId } : {}) };
  return Array.from(
    { length: sends },
    () => () => (direction === 1 ? shop.increment(body, headers) : shop.decrement(body, headers)),
  );
}

const counted = ({ sends, keyed }: Step) => (keyed ? 1 : sends);
const inMicros = (dollars: number) => BigInt(Math.round(dollars * MICROS));

/** The expected sums of the steps, as integers. */
function sums(steps: readonly Step[]) {
  const of = (direction: 1 | -1) =>
    steps
      .filter((candidate) => candidate.direction === direction)
      .reduce((sum, candidate) => sum + BigInt(candidate.micros) * BigInt(counted(candidate)), 0n);
  const count = steps.reduce((sum, candidate) => sum + candidate.direction * counted(candidate), 0);
  return { gross: of(1), reversed: of(-1), total: of(1) - of(-1), count };
}

/** The progress since a time, in micro-dollars. */
async function since(time: number) {
  const query = { from: String(time), to: String(time + 60 * 60 * 1000) };
  const { total, count, gross, reversed } = (await shop.progress('revenue', query)).current;
  return { total: inMicros(total), count, gross: inMicros(gross), reversed: inMicros(reversed) };
}

const sortBySeed = <T>(items: T[], seed: number): T[] =>
  items
    .map((item, i) => ({ item, at: Math.sin(seed + i) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

describe(`random increments and decrements with retries (FUZZ_SEED=${FUZZ_SEED})`, () => {
  it('add up exactly, in any order and with any concurrency', async () => {
    const sequence = fc.record({
      steps: fc.array(step, { minLength: 1, maxLength: 25 }),
      order: fc.nat(),
      concurrency: fc.integer({ min: 1, max: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(sequence, async ({ steps, order, concurrency }) => {
        const sessionId = `sums-${++sequences}`;
        const start = await nextMillisecond();
        const sends = sortBySeed(
          steps.flatMap((one) => requests(one, sessionId)),
          order,
        );
        for (let i = 0; i < sends.length; i += concurrency) {
          for (const response of await Promise.all(sends.slice(i, i + concurrency).map((send) => send())))
            expectAccepted(response);
        }
        expect(await since(start)).toEqual(sums(steps));
        await expectInSession(
          sessionId,
          steps.filter(({ withSession }) => withSession),
        );
      }),
      runs(25),
    );
  });

  async function expectInSession(sessionId: string, steps: Step[]): Promise<void> {
    if (steps.length === 0) return expect(await shop.isUnknown(sessionId)).toBe(true);
    const { total, count } = sums(steps);
    const [goal] = (await shop.session(sessionId)).goals;
    expect({ ...goal, amount: inMicros(goal.amount) }).toEqual({ goalId: 'revenue', count, amount: total });
  }
});
