import { DAY_MS } from '@switchyard/core/time';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AcceptedRequest, JournalEntry } from '../../accepted-request.ts';
import { type EventStore, LOCAL_SOURCE } from '../../event-store.ts';
import type { SplitTestQuery, VisitorGroup } from '../../split-test-queries.ts';
import { NaiveEventStore } from '../naive-event-store.contract.ts';
import { manyBatches, T0 } from '../random-requests.contract.ts';
import { collect, exposure, exposures, goal, splitTestQuery } from '../sample-requests.contract.ts';
import { compareSplitTest } from './compare-split-tests.contract.ts';
import { SPLIT_TEST_QUERIES } from './split-test-queries.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  journal: (requests: AcceptedRequest[]) => JournalEntry[];
  nextProperty: () => string;
  randomRuns: number;
}

const SEED = 20_261_119;
/** Random queries per random history. */
const QUERIES = 15;
/** Against hanging only: an emulated engine takes half a minute for a query. */
const TIMEOUT_MS = 3_600_000;
const DOLLAR = 1_000_000;

/** The contract for what visitors did before a test, capped values, users as units, and random queries. */
export function describeCovariates({ store, add, journal, nextProperty, randomRuns }: Suite): void {
  const see = (p: string, sessionId: string, at: number, more: object = {}) =>
    add(exposures(p, at, [{ ...exposure(sessionId, at), ...more }]));
  const visit = (
    propertyId: string,
    sessionId: string,
    visitorId: string,
    receivedAt: number,
    userId?: string,
  ) => add(collect({ propertyId, sessionId, visitorId, receivedAt, ...(userId && { userId }) }));
  const pay = (propertyId: string, sessionId: string, receivedAt: number, dollars: number) =>
    add(
      goal({
        propertyId,
        sessionId,
        receivedAt,
        goalId: 'revenue',
        direction: dollars > 0 ? 1 : -1,
        amountMicros: dollars * DOLLAR,
      }),
    );
  const groupsOf = async (propertyId: string, more: Partial<SplitTestQuery>): Promise<VisitorGroup[]> => {
    const goals = { goalIds: ['revenue'], revenueGoalIds: ['revenue'] };
    const query = splitTestQuery({ propertyId, variationKeys: ['a', 'b'], ...goals, ...more });
    return (await store().splitTestCounts(query)).groups;
  };

  test('the covariate ends at the first exposure to any phase of the test, or to a related test', async () => {
    const p = nextProperty();
    const change = T0 + 10 * DAY_MS;
    await see(p, 's', T0, { phase: 1 });
    await see(p, 's', change, { phase: 2 });
    await pay(p, 's', T0 - DAY_MS, 1);
    // In phase 1: neither an outcome of phase 2 nor what the visitor did before the test.
    await pay(p, 's', T0 + DAY_MS, 10);
    await pay(p, 's', change, 100);
    const query = { phase: 2, from: change, hasEarlierPhases: true, preDays: 14 };
    const amountOf = async (more: Partial<SplitTestQuery> = {}) => {
      const [group] = await groupsOf(p, { ...query, ...more });
      return [group?.goals[0]?.amount.sum, group?.goals[0]?.amount.covariateSum];
    };
    expect(await amountOf()).toEqual([100, 1]);
    // Nor what the visitor did after an exposure to a test with the same seed, whatever it showed.
    await see(p, 's', T0 - 2 * DAY_MS, { splitTestKey: 'copied', variationKey: 'c' });
    expect(await amountOf()).toEqual([100, 1]);
    expect(await amountOf({ relatedTests: ['copied', 'unknown'] })).toEqual([100, 0]);
    await pay(p, 's', T0 - 2 * DAY_MS - 1, 7);
    expect(await amountOf({ relatedTests: ['copied'] })).toEqual([100, 7]);
    expect(await amountOf({ relatedTests: ['copied'], preDays: 0 })).toEqual([100, 0]);
  });

  test('counts the sessions and the revenue of visitors in the days before', async () => {
    const p = nextProperty();
    const day = (days: number) => T0 - days * DAY_MS;
    await visit(p, 'exposed', 'known', day(0));
    await see(p, 'exposed', T0);
    await visit(p, 'recent-1', 'known', day(1));
    await visit(p, 'recent-2', 'known', day(7));
    await visit(p, 'long ago', 'known', day(7) - 1);
    // With an exposure, although it started before.
    await visit(p, 'related', 'known', day(2));
    await see(p, 'related', T0 + 1, { splitTestKey: 'copied' });
    await pay(p, 'recent-1', day(1) + 5, 3);
    await pay(p, 'long ago', day(7) + 5, 2);
    await pay(p, 'exposed', T0 + 5, 10);
    await see(p, 'new', T0);
    await pay(p, 'new', T0 + 6, 1);
    const [group, ...rest] = await groupsOf(p, {
      preDays: 7,
      relatedTests: ['copied'],
      covariateGoalIds: ['revenue', 'unknown'],
    });
    expect(rest).toEqual([]);
    expect(group).toMatchObject({
      visitors: 2,
      before: {
        known: 1,
        sessions: 2,
        sessionsSquares: 4,
        revenue: 5,
        revenueSquares: 25,
        knownRevenue: 5,
        product: 10,
      },
    });
    const [{ conversions, amount, ...goals }] = group!.goals as [VisitorGroup['goals'][number]];
    expect(conversions).toMatchObject({ sum: 2, covariateSum: 2, knownSum: 1, sessionsProduct: 2 });
    expect(conversions).toMatchObject({ revenueProduct: 5, covariateKnown: 2, covariateSessions: 4 });
    expect(conversions).toMatchObject({ covariateProduct: 2, covariateRevenue: 10 });
    expect(amount).toMatchObject({ sum: 11, covariateSum: 5, knownSum: 10, sessionsProduct: 20 });
    expect(amount).toMatchObject({ revenueProduct: 50, covariateKnown: 5, covariateSessions: 10 });
    expect(amount).toMatchObject({ covariateProduct: 50, covariateRevenue: 25 });
    expect(goals).toMatchObject({ converted: 2, convertedCovariate: 2, convertedKnown: 1 });
    expect(goals).toMatchObject({ convertedSessions: 2, convertedRevenue: 5 });
    const [without] = await groupsOf(p, {});
    expect(without?.before).toBeNull();
    expect(without?.goals[0]).toMatchObject({
      convertedKnown: 0,
      amount: { knownSum: 0, revenueProduct: 0 },
    });
  });

  test('one refund of 5,000 is capped, like the covariate, and crawlers do not set the cap', async () => {
    const p = nextProperty();
    const winsorized = { winsorize: 0.9, preDays: 7 };
    for (let index = 1; index <= 9; index++) {
      await see(p, `s${index}`, T0);
      await pay(p, `s${index}`, T0 + 1, 10 + index);
    }
    await see(p, 'refunded', T0);
    await pay(p, 'refunded', T0 + 1, -5000);
    await pay(p, 's1', T0 - 1, 4000);
    for (let index = 1; index <= 12; index++) {
      await see(p, `bot${index}`, T0, { bot: true });
      await pay(p, `bot${index}`, T0 + 1, 1_000_000);
    }
    await see(p, 'mixed', T0);
    await see(p, 'mixed', T0, { variationKey: 'b' });
    await pay(p, 'mixed', T0 + 1, 1_000_000);
    const amounts = async (more: Partial<SplitTestQuery>) =>
      (await groupsOf(p, more))
        .filter(({ goals }) => goals.length > 0)
        .map(({ bot, goals: [sums] }) => [bot, sums?.amount.sum, sums?.amount.covariateSum, sums?.converted])
        .sort();
    // 11 to 19, whose largest is the ninth of the ten absolute values.
    expect(await amounts(winsorized)).toEqual([
      [false, 135 - 19, 19, 9],
      [true, 12 * 19, 0, 12],
    ]);
    expect(await amounts({ preDays: 7 })).toEqual([
      [false, 135 - 5000, 4000, 9],
      [true, 12_000_000, 0, 12],
    ]);
  });

  test('visitors of the same user are one unit, if the test asks for it', async () => {
    const p = nextProperty();
    await visit(p, 'phone', 'v1', T0, 'ann');
    await visit(p, 'laptop', 'v2', T0);
    await visit(p, 'guest', 'v3', T0);
    await see(p, 'phone', T0 + 1);
    await see(p, 'laptop', T0 + 2);
    await see(p, 'guest', T0 + 3);
    await see(p, 'bare', T0 + 4);
    await pay(p, 'laptop', T0 + 5, 3);
    const visitorsOf = async (unit: 'visitor' | 'user') =>
      (await groupsOf(p, { unit }))
        .map(({ variationKey, visitors, goals }) => [variationKey, visitors, goals[0]?.amount.sum ?? 0])
        .sort();
    expect(await visitorsOf('visitor')).toEqual([['a', 4, 3]]);
    expect(await visitorsOf('user')).toEqual([['a', 4, 3]]);
    // Signs in on the laptop in another session.
    await visit(p, 'laptop again', 'v2', T0 + 6, 'ann');
    expect(await visitorsOf('visitor')).toEqual([['a', 4, 3]]);
    expect(await visitorsOf('user')).toEqual([['a', 3, 3]]);
    await see(p, 'laptop again', T0 + 7, { variationKey: 'b' });
    expect(await visitorsOf('user')).toEqual([
      [null, 1, 0],
      ['a', 2, 0],
    ]);
    // The latest user of a visitor counts.
    await visit(p, 'laptop later', 'v2', T0 + 8, 'bob');
    expect(await visitorsOf('user')).toEqual([
      [null, 1, 0],
      ['a', 3, 0],
    ]);
  });

  test('splits visitors by several attributes', async () => {
    const p = nextProperty();
    await add(collect({ propertyId: p, receivedAt: T0, sessionId: 's1', visitorId: 'v1', country: 'DE' }));
    await see(p, 's1', T0, { attributes: '{"plan":"\\"pro\\""}' });
    await see(p, 's2', T0, { attributes: '{"plan":3}' });
    await see(p, 's3', T0, { attributes: '{"country":"IT"}' });
    // The first known value of each.
    await see(p, 's3', T0 + 1, { attributes: '{"plan":"free","country":"FR"}' });
    await see(p, 's4', T0);
    const segments = async (max: number) =>
      (await groupsOf(p, { by: { attributes: ['country', 'plan'], max } }))
        .map(({ segment, other, visitors }) => [other ? 'other' : segment, visitors])
        .sort();
    expect(await segments(9)).toEqual([
      [null, 1],
      ['["DE","\\"pro\\""]', 1],
      ['["IT","free"]', 1],
      ['[null,"3"]', 1],
    ]);
    expect(await segments(1)).toEqual([
      [null, 1],
      ['["DE","\\"pro\\""]', 1],
      ['other', 2],
    ]);
  });

  const title = `random queries agree with a naive model on random histories (seed ${SEED})`;
  test(title, { timeout: TIMEOUT_MS }, async () => {
    let next = 3;
    const random = fc.asyncProperty(manyBatches, async (batches) => {
      const propertyId = nextProperty();
      const model = new NaiveEventStore();
      for (const batch of batches) {
        const entries = journal(batch.map((request) => ({ ...request, propertyId })));
        await store().append(LOCAL_SOURCE, entries);
        for (const it of entries) model.append(it);
      }
      const facts = model.facts(propertyId);
      for (let query = 0; query < QUERIES; query++) {
        const options = SPLIT_TEST_QUERIES[next++ % SPLIT_TEST_QUERIES.length]!;
        await compareSplitTest(store(), facts, { ...options, propertyId, splitTestKey: 'hero' });
      }
    });
    await fc.assert(random, { seed: SEED, numRuns: 2 * randomRuns, endOnFailure: true });
  });
}
