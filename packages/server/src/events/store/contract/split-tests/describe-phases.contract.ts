import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import { expect, test } from 'vitest';
import type { AcceptedRequest, Exposure } from '../../accepted-request.ts';
import type { EventStore } from '../../event-store.ts';
import type { SplitTestQuery } from '../../split-test-queries.ts';
import { T0 } from '../random-requests.contract.ts';
import { entry, exposure, exposures, goal, splitTestQuery } from '../sample-requests.contract.ts';
import { feedbackQueryOf } from './split-test-queries.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

/** The second phase starts. */
const CHANGE = T0 + 10 * DAY_MS;

/** The contract for split tests with several phases, and for their end. */
export function describePhases({ store, add, nextProperty }: Suite): void {
  const see = (p: string, sessionId: string, variationKey: string, at: number, phase?: number) =>
    add(exposures(p, at, [{ ...exposure(sessionId, at), variationKey, ...(phase && { phase }) }]));
  const convert = (propertyId: string, sessionId: string, ...times: number[]) =>
    add(...times.map((receivedAt) => goal({ propertyId, sessionId, receivedAt })));
  const phaseQuery = (propertyId: string, overrides: Partial<SplitTestQuery>) =>
    splitTestQuery({ propertyId, variationKeys: ['a', 'b'], goalIds: ['signup'], ...overrides });
  const first = (p: string, more: Partial<SplitTestQuery> = {}) =>
    phaseQuery(p, {
      phase: 1,
      to: CHANGE,
      endsAt: CHANGE,
      until: CHANGE + 7 * DAY_MS,
      hasLaterPhases: true,
      ...more,
    });
  const second = (p: string, more: Partial<SplitTestQuery> = {}) =>
    phaseQuery(p, { phase: 2, from: CHANGE, startedAt: CHANGE, hasEarlierPhases: true, ...more });
  /** Groups in short: variations, flags, visitors and conversions. */
  const groupsOf = async (query: SplitTestQuery) =>
    (await store().splitTestCounts(query)).groups
      .map(({ variationKey, firstVariationKey, moved, returning, visitors, goals }) => ({
        shown: variationKey ?? `mixed, first ${firstVariationKey}`,
        ...(moved && { moved }),
        ...(returning && { returning }),
        visitors,
        conversions: goals.map(({ conversions }) => conversions.sum)[0] ?? 0,
      }))
      .sort((x, y) => (JSON.stringify(x) < JSON.stringify(y) ? -1 : 1));

  test('a conversion counts in at most one phase: 50:50 becomes 99:1, and visitors are moved', async () => {
    const p = nextProperty();
    await see(p, 'moved', 'b', T0, 1);
    await see(p, 'stays', 'a', T0, 1);
    await see(p, 'gone', 'b', T0, 1);
    await see(p, 'moved', 'a', CHANGE + HOUR_MS, 2);
    await see(p, 'stays', 'a', CHANGE + HOUR_MS, 2);
    // In phase 1, after the change but before the next exposure, and from it on.
    const times = [T0 + 1, CHANGE + 1, CHANGE + HOUR_MS, CHANGE + 2 * HOUR_MS];
    for (const sessionId of ['moved', 'stays', 'gone']) await convert(p, sessionId, ...times);
    await convert(p, 'gone', CHANGE + 7 * DAY_MS);
    expect(await groupsOf(first(p))).toEqual([
      { shown: 'a', visitors: 1, conversions: 2 },
      { shown: 'b', visitors: 2, conversions: 2 + 4 },
    ]);
    expect(await groupsOf(second(p))).toEqual([
      { shown: 'a', moved: true, returning: true, visitors: 1, conversions: 0 },
      { shown: 'a', returning: true, visitors: 1, conversions: 2 },
    ]);
    const seriesOf = async (query: SplitTestQuery) => {
      const { visitors, goals } = await store().splitTestSeries(query);
      const total = (counts: number[]) => counts.reduce((sum, it) => sum + it, 0);
      return [
        total(visitors.map((it) => it.visitors)),
        total(goals.map(({ conversions }) => conversions.sum)),
      ];
    };
    expect(await seriesOf(first(p))).toEqual([3, 8]);
    expect(await seriesOf(second(p))).toEqual([1, 2]);
  });

  test('mixed comes before moved, and later phases change neither', async () => {
    const p = nextProperty();
    await see(p, 'mixed', 'b', T0, 1);
    await see(p, 'mixed', 'b', CHANGE + 5, 2);
    await see(p, 'mixed', 'a', CHANGE + 6, 2);
    await see(p, 'removed', 'c', T0, 1);
    await see(p, 'removed', 'a', CHANGE, 2);
    await see(p, 'dated', 'b', T0);
    await see(p, 'dated', 'a', CHANGE);
    await see(p, 'new', 'a', CHANGE, 2);
    expect(await groupsOf(first(p))).toEqual([{ shown: 'b', visitors: 2, conversions: 0 }]);
    expect(await groupsOf(second(p))).toEqual([
      { shown: 'a', moved: true, returning: true, visitors: 1, conversions: 0 },
      // The earlier phase had a variation that this one does not have.
      { shown: 'a', returning: true, visitors: 1, conversions: 0 },
      { shown: 'a', visitors: 1, conversions: 0 },
      { shown: 'mixed, first b', returning: true, visitors: 1, conversions: 0 },
    ]);
    // Nothing is looked up in a test that had no other phases.
    expect(await groupsOf(second(p, { hasEarlierPhases: false }))).toEqual([
      { shown: 'a', visitors: 3, conversions: 0 },
      { shown: 'mixed, first b', visitors: 1, conversions: 0 },
    ]);
  });

  test('exposures before the test are those of another one with the same key', async () => {
    const p = nextProperty();
    const beganAt = T0 + HOUR_MS;
    await see(p, 's', 'b', T0);
    await see(p, 't', 'b', beganAt);
    for (const sessionId of ['s', 't']) await see(p, sessionId, 'a', CHANGE);
    expect(await groupsOf(first(p, { beganAt, from: beganAt }))).toEqual([
      { shown: 'b', visitors: 1, conversions: 0 },
    ]);
    expect(await groupsOf(second(p, { beganAt }))).toEqual([
      { shown: 'a', moved: true, returning: true, visitors: 1, conversions: 0 },
      { shown: 'a', visitors: 1, conversions: 0 },
    ]);
  });

  test('several variations at the same time: the first in the order of the query was seen first', async () => {
    const p = nextProperty();
    const both = (at: number): Exposure[] =>
      ['a', 'b'].map((variationKey) => ({ ...exposure(`s${at}`, at), variationKey }));
    await add(exposures(p, T0, both(T0)), exposures(p, T0 + 9, both(T0 + 5)));
    await see(p, 's-late', 'b', T0 + 1);
    await see(p, 's-late', 'a', T0 + 2);
    const shown = async (variationKeys: string[]) =>
      (await groupsOf(phaseQuery(p, { variationKeys }))).map((it) => [it.shown, it.visitors]);
    expect(await shown(['a', 'b'])).toEqual([
      ['mixed, first a', 2],
      ['mixed, first b', 1],
    ]);
    expect(await shown(['b', 'a'])).toEqual([['mixed, first b', 3]]);
  });

  test('a conversion of the same millisecond counts as after the exposure', async () => {
    const p = nextProperty();
    await see(p, 's', 'a', T0);
    await convert(p, 's', T0 - 1, T0);
    expect(await groupsOf(phaseQuery(p, {}))).toEqual([{ shown: 'a', visitors: 1, conversions: 1 }]);
  });

  test('what a browser shows after the end does not change the results', async () => {
    const p = nextProperty();
    const ended = phaseQuery(p, { endsAt: T0 + DAY_MS, until: T0 + DAY_MS });
    await see(p, 's', 'a', T0);
    await convert(p, 's', T0 + 1);
    const expected = [{ shown: 'a', visitors: 1, conversions: 1 }];
    expect(await groupsOf(ended)).toEqual(expected);
    // Another variation, another visitor, and exposures from before the end that arrive too late.
    await see(p, 's', 'b', T0 + DAY_MS, 1);
    await see(p, 'new', 'b', T0 + 2 * DAY_MS, 1);
    await add(
      exposures(p, T0 + 2 * DAY_MS, [
        { ...exposure('late', T0 + 5), phase: 1 },
        { ...exposure('s', T0 + 5), variationKey: 'b' },
      ]),
    );
    await convert(p, 's', T0 + DAY_MS);
    expect(await groupsOf(ended)).toEqual(expected);
    const { exposures: shown } = await store().splitTestCounts(ended);
    expect(shown.map((it) => it.exposures)).toEqual([1]);
    expect((await store().splitTestSeries(ended)).visitors.map(({ visitors }) => visitors)).toEqual([1]);
    // With days of attribution, those that arrive within them count.
    expect(await groupsOf({ ...ended, until: T0 + 3 * DAY_MS })).toEqual([
      { shown: 'a', visitors: 1, conversions: 0 },
      { shown: 'mixed, first a', visitors: 1, conversions: 0 },
    ]);
  });

  test('a phase that has ended ignores what earlier phases send later, but not what later phases do', async () => {
    const p = nextProperty();
    const ended = second(p, {
      to: CHANGE + DAY_MS,
      endsAt: CHANGE + DAY_MS,
      until: CHANGE + 2 * DAY_MS,
      hasLaterPhases: true,
    });
    await see(p, 's', 'a', CHANGE, 2);
    await convert(p, 's', CHANGE + 1, CHANGE + DAY_MS + HOUR_MS);
    expect(await groupsOf(ended)).toEqual([{ shown: 'a', visitors: 1, conversions: 2 }]);
    await add(
      exposures(p, CHANGE + 3 * DAY_MS, [{ ...exposure('s', T0), variationKey: 'b', phase: 1 }]),
      exposures(p, CHANGE + 3 * DAY_MS, [{ ...exposure('s', CHANGE + DAY_MS), phase: 3 }]),
    );
    expect(await groupsOf(ended)).toEqual([{ shown: 'a', visitors: 1, conversions: 1 }]);
  });

  test('what expired in an earlier phase is not remembered', async () => {
    const p = nextProperty();
    await see(p, 'moved', 'b', T0, 1);
    await see(p, 'moved', 'a', CHANGE, 2);
    const moved = { shown: 'a', moved: true, returning: true, visitors: 1, conversions: 0 };
    expect(await groupsOf(second(p))).toEqual([moved]);
    expect(await store().expire(p, T0)).toEqual({ rows: 0 });
    expect(await groupsOf(second(p))).toEqual([moved]);
    expect(await store().expire(p, T0 + 1)).toEqual({ rows: 1 });
    expect(await groupsOf(second(p))).toEqual([{ shown: 'a', visitors: 1, conversions: 0 }]);
  });

  test('feedback counts in the same time as conversions', async () => {
    const p = nextProperty();
    await see(p, 'moved', 'b', T0, 1);
    await see(p, 'moved', 'a', CHANGE, 2);
    await add(
      ...[T0, CHANGE - 1, CHANGE].map((receivedAt) =>
        entry({ propertyId: p, sessionId: 'moved', receivedAt, option: 'good' }),
      ),
    );
    const answersOf = async (query: SplitTestQuery) =>
      (await store().splitTestFeedback(feedbackQueryOf(query))).map(({ options }) => options[0]?.count);
    expect(await answersOf(first(p))).toEqual([undefined, 2]);
    expect(await answersOf(second(p))).toEqual([undefined, undefined]);
  });

  test('tells when a visitor with a number entered the phase', async () => {
    const p = nextProperty();
    await see(p, 'moved', 'b', T0, 1);
    await see(p, 'moved', 'a', CHANGE + 1, 2);
    await see(p, 'mixed', 'a', CHANGE + 2, 2);
    await see(p, 'mixed', 'b', CHANGE + 2, 2);
    await add(exposures(p, CHANGE + 3, [{ ...exposure('bot', CHANGE + 3), phase: 2, bot: true }]));
    await see(p, 's1', 'a', CHANGE + 6, 2);
    await see(p, 's2', 'b', CHANGE + 5, 2);
    await see(p, 's2', 'b', CHANGE + 9, 2);
    await see(p, 's3', 'b', CHANGE + 6, 2);
    const entries = [1, 2, 3, 4].map((number) => store().splitTestEntry(second(p), number));
    expect(await Promise.all(entries)).toEqual([CHANGE + 5, CHANGE + 6, CHANGE + 6, undefined]);
    expect(await store().splitTestEntry(second('unknown'), 1)).toBeUndefined();
  });
}
