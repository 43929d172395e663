import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import { expect, test } from 'vitest';
import type { AcceptedRequest, Exposure } from '../../accepted-request.ts';
import type { EventStore } from '../../event-store.ts';
import { MAX_SEGMENT_LENGTH, type SplitTestQuery } from '../../split-test-queries.ts';
import { T0 } from '../random-requests.contract.ts';
import { entry, exposure, exposures, goal, splitTestQuery } from '../sample-requests.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `variation-${index}`);

/** The contract for split test queries, with tests of any size and arbitrary client data. */
export function describeSplitTests({ store, add, nextProperty }: Suite): void {
  const see = (propertyId: string, list: Exposure[]) => add(exposures(propertyId, T0, list));
  const countsOf = (propertyId: string, overrides: Partial<SplitTestQuery> = {}) =>
    store().splitTestCounts(splitTestQuery({ propertyId, ...overrides }));
  const segmentsOf = async (propertyId: string, attribute: string, max = 50) => {
    const { groups } = await countsOf(propertyId, { by: { attributes: [attribute], max } });
    return groups
      .map(({ segment, other, visitors }) => [other ? 'other' : segment, visitors] as const)
      .sort(([left], [right]) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
  };

  // The engine stores the variations that a visitor saw as bits; these counts are around its type limits.
  test.each([2, 30, 61, 100])('counts a test with %i variations', async (count) => {
    const propertyId = nextProperty();
    const variationKeys = keysOf(count);
    const [first, last] = [variationKeys[0]!, variationKeys.at(-1)!];
    await see(propertyId, [
      ...variationKeys.map((variationKey, index) => ({ ...exposure(`s${index}`, T0), variationKey })),
      { ...exposure('bot', T0), variationKey: last, bot: true },
      ...[first, last].map((variationKey) => ({ ...exposure('mixed', T0), variationKey })),
    ]);
    await add(
      goal({ propertyId, sessionId: `s${count - 1}`, receivedAt: T0 + 5 }),
      entry({ propertyId, sessionId: `s${count - 1}`, receivedAt: T0 + 6, option: 'good' }),
    );
    const query = splitTestQuery({ propertyId, variationKeys, goalIds: ['signup'], earlyDays: 1 });
    const { exposures: shown, groups } = await store().splitTestCounts(query);
    const exposuresOf = (key: string) => shown.find((it) => it.variationKey === key && !it.bot)?.exposures;
    expect(variationKeys.map(exposuresOf)).toEqual(
      variationKeys.map((key) => (key === first || key === last ? 2 : 1)),
    );
    const visitorsOf = (key: string | null, bot: boolean) =>
      groups.filter((it) => it.variationKey === key && it.bot === bot && it.early);
    expect(variationKeys.map((key) => visitorsOf(key, false).map(({ visitors }) => visitors))).toEqual(
      variationKeys.map(() => [1]),
    );
    expect([visitorsOf(last, true), visitorsOf(null, false)]).toMatchObject([
      [{ visitors: 1 }],
      [{ visitors: 1 }],
    ]);
    expect(groups).toHaveLength(count + 2);
    expect(visitorsOf(last, false)).toMatchObject([{ goals: [{ goalId: 'signup', converted: 1 }] }]);
    const series = await store().splitTestSeries(query);
    expect(series.visitors).toHaveLength(count + 1);
    expect(series.goals).toMatchObject([{ variationKey: last, converted: 1 }]);
    const { startedAt, days, goalIds, earlyDays, preDays, ...scope } = query;
    const feedback = await store().splitTestFeedback({ ...scope, messages: 5 });
    expect(feedback.filter(({ options }) => options.length > 0).map((it) => it.variationKey)).toEqual([last]);
  });

  test('counts visitors of several variations by what they saw first', async () => {
    const propertyId = nextProperty();
    const variationKeys = keysOf(10);
    const pairs = variationKeys.flatMap((left, index) =>
      variationKeys.slice(index + 1).map((right) => [left, right] as const),
    );
    await see(
      propertyId,
      pairs.flatMap((pair, index) =>
        pair.map((variationKey) => ({ ...exposure(`s${index}`, T0), variationKey })),
      ),
    );
    const { groups } = await countsOf(propertyId, { variationKeys });
    const counted = groups.map((it) => [it.variationKey, it.firstVariationKey, it.visitors]);
    // At the same time: the first of both in the order of the query.
    expect(counted.sort()).toEqual(
      variationKeys.slice(0, -1).map((first, index) => [null, first, variationKeys.length - 1 - index]),
    );
  });

  test('counts the largest segments separately and combines the others', async () => {
    const propertyId = nextProperty();
    const large = ['large-0', 'large-1', 'null'];
    const plans = Array.from({ length: 60 }, (_, index) => (index < 15 ? large[index % 3] : `p${index}`));
    await see(propertyId, [
      ...plans.map((plan, index) => ({ ...exposure(`s${index}`, T0), attributes: JSON.stringify({ plan }) })),
      exposure('unknown', T0),
    ]);
    expect(await segmentsOf(propertyId, 'plan', 3)).toEqual([
      ...large.map((name) => [name, 5]),
      ['other', 45],
      [null, 1],
    ]);
  });

  test('truncates long values', async () => {
    const propertyId = nextProperty();
    const long = 'é😀'.repeat(2000);
    await see(
      propertyId,
      [`${long}1`, `${long}2`].map((plan, index) => ({
        ...exposure(`s${index}`, T0),
        attributes: JSON.stringify({ plan }),
      })),
    );
    const beginning = [...long].slice(0, MAX_SEGMENT_LENGTH).join('');
    expect(await segmentsOf(propertyId, 'plan')).toEqual([[beginning, 2]]);
  });

  test.each([
    '*',
    '**',
    'a.b',
    'a"b',
    '$',
    '$.plan',
    'a/b',
    'a~b',
    '~0',
    '~1',
    '',
    '0',
    'a[0]',
    'é',
    "'",
    '\\',
  ])('treats attribute names literally: %j', async (name) => {
    const propertyId = nextProperty();
    const attributes = (more: object) => JSON.stringify({ plan: 'pro', a: { b: 1 }, ...more });
    await see(propertyId, [
      { ...exposure('with', T0), attributes: attributes({ [name]: 'found' }) },
      { ...exposure('without', T0), attributes: attributes({}) },
    ]);
    expect(await segmentsOf(propertyId, name)).toEqual([
      ['found', 1],
      [null, 1],
    ]);
  });

  test('treats values in invalid JSON as unknown', async () => {
    const propertyId = nextProperty();
    const texts = ['{"plan":"pro"}', '{"plan":"\\ud800"}', '{"plan":"pro","cut":"\\ude00"}', 'nonsense', ''];
    await see(
      propertyId,
      texts.map((attributes, index) => ({ ...exposure(`s${index}`, T0), attributes })),
    );
    expect(await segmentsOf(propertyId, 'plan')).toEqual([
      ['pro', 1],
      [null, 4],
    ]);
  });

  test('groups days as requested, regardless of the dates of exposures', async () => {
    const propertyId = nextProperty();
    const [today, past] = [T0 - (T0 % DAY_MS), 50];
    await see(
      propertyId,
      Array.from({ length: past }, (_, index) => exposure(`s${index}`, T0 - index * DAY_MS)),
    );
    const days = { from: today - 9 * DAY_MS, to: today - DAY_MS, step: 4 };
    const query = splitTestQuery({ propertyId, days, goalIds: ['signup'] });
    await add(
      ...[0, 2, 40].map((index) =>
        goal({ propertyId, sessionId: `s${index}`, receivedAt: T0 + index - 2 * DAY_MS }),
      ),
    );
    const { visitors, goals } = await store().splitTestSeries(query);
    // Everything earlier, then three points of up to four days; everything later belongs to the last.
    const points = [-10, -9, -5, -1].map((day) => today + day * DAY_MS);
    expect(visitors.map(({ at, visitors: count }) => [at, count])).toEqual(
      points.map((at, index) => [at, [past - 10, 1, 4, 5][index]]),
    );
    expect(goals.map(({ at, converted }) => [at, converted])).toEqual([[points[3], 2]]);
    const { exposures: shown } = await store().splitTestCounts({ ...query, days: { ...days, step: 1 } });
    expect(shown).toHaveLength(10);
    expect(shown[0]).toMatchObject({ at: points[0], exposures: past - 10 });
    expect(shown.at(-1)).toMatchObject({ at: points[3], exposures: 2 });
  });

  test('has the days of a time zone, also when clocks change', async () => {
    const propertyId = nextProperty();
    // Sunday in Berlin, a day of 25 hours.
    const [start, end] = [Date.UTC(2025, 9, 25, 22), Date.UTC(2025, 9, 26, 23)];
    const times = [start - 1, start, start + HOUR_MS, end - 1, end, end + 3 * DAY_MS];
    await see(
      propertyId,
      times.map((time, index) => exposure(`s${index}`, time)),
    );
    const sunday = Date.UTC(2025, 9, 26);
    const days = { from: sunday - DAY_MS, to: sunday + DAY_MS, step: 1, timeZone: 'Europe/Berlin' };
    const query = splitTestQuery({ propertyId, days, goalIds: ['signup'] });
    await add(
      goal({ propertyId, sessionId: 's0', receivedAt: start }),
      goal({ propertyId, sessionId: 's1', receivedAt: end }),
    );
    const { visitors, goals } = await store().splitTestSeries(query);
    expect(visitors.map(({ at, visitors: count }) => [at, count])).toEqual([
      [sunday - DAY_MS, 1],
      [sunday, 3],
      [sunday + DAY_MS, 2],
    ]);
    expect(goals.map(({ at, converted }) => [at, converted])).toEqual([
      [sunday, 1],
      [sunday + DAY_MS, 1],
    ]);
  });

  test('counts early visitors from the receipt of the first exposure, not from its client time', async () => {
    const propertyId = nextProperty();
    await add(
      exposures(propertyId, T0, [exposure('forged', 0), exposure('first', T0)]),
      exposures(propertyId, T0 + 2 * DAY_MS, [exposure('second', T0 + 2 * DAY_MS)]),
      exposures(propertyId, T0 + 4 * DAY_MS, [exposure('late', T0 + 4 * DAY_MS)]),
    );
    const earlyOf = async (startedAt: number) =>
      (await countsOf(propertyId, { earlyDays: 3, startedAt })).groups
        .filter(({ early }) => early)
        .map(({ visitors }) => visitors);
    expect(await earlyOf(0)).toEqual([3]);
    expect(await earlyOf(T0 + 1.5 * DAY_MS)).toEqual([4]);
  });
}
