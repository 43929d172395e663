import { expect, test } from 'vitest';
import type { AcceptedRequest } from '../../accepted-request.ts';
import type { EventStore } from '../../event-store.ts';
import type { SplitTestQuery } from '../../split-test-queries.ts';
import { T0 } from '../random-requests.contract.ts';
import { collect, exposure, exposures, goal, splitTestQuery } from '../sample-requests.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

/** The contract for visitors of a test that are split by what they saw in another one. */
export function describeSharedVisitors({ store, add, nextProperty }: Suite): void {
  const see = (p: string, sessionId: string, splitTestKey: string, variationKey: string, bot = false) =>
    add(exposures(p, T0, [{ ...exposure(sessionId, T0), splitTestKey, variationKey, ...(bot && { bot }) }]));
  const {
    propertyId: _propertyId,
    startedAt: _startedAt,
    days: _days,
    goalIds: _goalIds,
    preDays: _preDays,
    earlyDays: _earlyDays,
    ...price
  } = splitTestQuery({ propertyId: 'any', splitTestKey: 'price', variationKeys: ['low', 'high'] });
  /** Segments with their visitors and how many of them converted. */
  const segmentsOf = async (propertyId: string, overrides: Partial<SplitTestQuery> = {}) => {
    const by = { attributes: [], max: 10, test: price };
    const query = splitTestQuery({
      propertyId,
      variationKeys: ['a', 'b'],
      goalIds: ['signup'],
      by,
      ...overrides,
    });
    const { groups } = await store().splitTestCounts(query);
    return groups
      .map(
        ({ variationKey, segment, visitors, goals }) =>
          `${variationKey} ${segment}: ${goals[0]?.converted ?? 0}/${visitors}`,
      )
      .sort();
  };

  test('splits visitors by the variation that they saw in another test', async () => {
    const p = nextProperty();
    for (const [session, own, other] of [
      ['s1', 'a', 'low'],
      ['s2', 'a', 'high'],
      ['s3', 'b', 'high'],
      ['s4', 'b', 'high'],
      ['s5', 'b', undefined],
      ['s6', undefined, 'low'],
    ] as const) {
      if (own) await see(p, session, 'hero', own);
      if (other) await see(p, session, 'price', other);
    }
    // In none of the results of the other test: a crawler there, several variations, and an unknown one.
    for (const session of ['crawler', 'mixed', 'unknown']) await see(p, session, 'hero', 'a');
    await see(p, 'crawler', 'price', 'low', true);
    for (const variation of ['low', 'high']) await see(p, 'mixed', 'price', variation);
    await see(p, 'unknown', 'price', 'retired');
    await add(
      ...['s2', 's3', 's5', 'mixed'].map((sessionId) =>
        goal({ propertyId: p, sessionId, receivedAt: T0 + 1 }),
      ),
    );
    expect(await segmentsOf(p)).toEqual([
      'a high: 1/1',
      'a low: 0/1',
      'a null: 1/3',
      'b high: 1/2',
      'b null: 1/1',
    ]);
  });

  test('finds visitors of both tests by their sessions, and users by their visitors', async () => {
    const p = nextProperty();
    await see(p, 's1', 'hero', 'a');
    await see(p, 's2', 'price', 'low');
    expect(await segmentsOf(p)).toEqual(['a null: 0/1']);
    for (const sessionId of ['s1', 's2'])
      await add(collect({ propertyId: p, sessionId, visitorId: 'v1', receivedAt: T0 + 5 }));
    expect(await segmentsOf(p)).toEqual(['a low: 0/1']);
    // Another device of the same user.
    await see(p, 's3', 'hero', 'b');
    await add(
      collect({ propertyId: p, sessionId: 's3', visitorId: 'v2', userId: 'u', receivedAt: T0 + 6 }),
      collect({ propertyId: p, sessionId: 's2', visitorId: 'v3', userId: 'u', receivedAt: T0 + 7 }),
    );
    expect(await segmentsOf(p)).toEqual(['a null: 0/1', 'b null: 0/1']);
    expect(await segmentsOf(p, { unit: 'user' })).toEqual(['a null: 0/1', 'b low: 0/1']);
  });

  test('leaves out visitors whom a new phase of the other test moved', async () => {
    const p = nextProperty();
    const seePrice = (sessionId: string, variationKey: string, phase: number) =>
      add(exposures(p, T0, [{ ...exposure(sessionId, T0), splitTestKey: 'price', variationKey, phase }]));
    for (const session of ['moved', 'stays', 'new']) await see(p, session, 'hero', 'a');
    await seePrice('moved', 'low', 1);
    await seePrice('stays', 'high', 1);
    for (const session of ['moved', 'stays', 'new']) await seePrice(session, 'high', 2);
    const second = { ...price, phase: 2, from: T0, hasEarlierPhases: true };
    const by = { attributes: [], max: 10, test: second };
    expect(await segmentsOf(p, { by })).toEqual(['a high: 0/2', 'a null: 0/1']);
  });

  test('has nobody in a test that nobody has seen', async () => {
    const p = nextProperty();
    await see(p, 's1', 'hero', 'a');
    await add(goal({ propertyId: p, sessionId: 's1', receivedAt: T0 + 1 }));
    expect(await segmentsOf(p)).toEqual(['a null: 1/1']);
  });
}
