import { DAY_MS } from '@switchyard/core/time';
import { expect } from 'vitest';
import type { EventStore } from '../../event-store.ts';
import type {
  GoalDay,
  GoalSums,
  SplitTestCounts,
  SplitTestQuery,
  VariationFeedback,
} from '../../split-test-queries.ts';
import type { NaiveFacts } from '../naive-visitors.contract.ts';
import {
  naiveCounts,
  naiveDay,
  naiveEntry,
  naiveFeedback,
  naiveNewVisitors,
} from './naive-split-test.contract.ts';
import { feedbackQueryOf, SPLIT_TEST_QUERIES } from './split-test-queries.contract.ts';

/** One of the queries per call, because they take longest; neither properties nor comparisons repeat as often. */
export async function compareSplitTests(
  store: EventStore,
  facts: NaiveFacts,
  propertyId: string,
): Promise<void> {
  const options = SPLIT_TEST_QUERIES[splitTestRound++ % SPLIT_TEST_QUERIES.length]!;
  for (const splitTestKey of ['hero', 'price'])
    await compareSplitTest(store, facts, { ...options, propertyId, splitTestKey });
}

let splitTestRound = 0;

/** Compares all answers to a query. */
export async function compareSplitTest(
  store: EventStore,
  facts: NaiveFacts,
  query: SplitTestQuery,
): Promise<void> {
  const about = JSON.stringify(query);
  const counts = await store.splitTestCounts(query);
  expect(ordered(counts), about).toEqual(ordered(naiveCounts(facts, query)));
  await compareSeries(store, facts, query);
  const among = query.variationKeys.slice(1);
  for (const number of [1, 2, 9]) {
    expect(await store.splitTestEntry(query, number), about).toBe(naiveEntry(facts, query, number));
    const later = { ...query, among };
    expect(await store.splitTestEntry(later, number), about).toBe(naiveEntry(facts, later, number));
  }
  const scope = feedbackQueryOf(query);
  const feedback = await store.splitTestFeedback(scope);
  expect(feedback.map(byOption), about).toEqual(naiveFeedback(facts, scope).map(byOption));
}

async function compareSeries(store: EventStore, facts: NaiveFacts, query: SplitTestQuery): Promise<void> {
  const about = JSON.stringify(query);
  const { visitors, goals } = await store.splitTestSeries(query);
  const text = (list: object[]) => list.map((it) => JSON.stringify(Object.entries(it).sort())).sort();
  expect(text(visitors), about).toEqual(text(naiveNewVisitors(facts, query)));
  for (const day of new Set(goals.map(({ at }) => at))) {
    const end = day === query.days.to ? Number.POSITIVE_INFINITY : day + DAY_MS;
    const { groups } = naiveDay(facts, query, end);
    const kinds = new Map<string, GoalSums[]>();
    for (const { variationKey, bot, goals: own } of groups) {
      for (const it of own) {
        const key = JSON.stringify([variationKey, bot, it.goalId]);
        kinds.set(key, [...(kinds.get(key) ?? []), it]);
      }
    }
    for (const [kind, expected] of kinds) {
      const daysSoFar = goals.filter(
        (it) => it.at <= day && JSON.stringify([it.variationKey, it.bot, it.goalId]) === kind,
      );
      const total = (pick: (it: GoalDay) => number) => daysSoFar.reduce((sum, it) => sum + pick(it), 0);
      const expectedOf = (pick: (it: GoalSums) => number) => expected.reduce((sum, it) => sum + pick(it), 0);
      expect(total((it) => it.converted)).toBe(expectedOf((it) => it.converted));
      expect(total((it) => it.conversions.sum)).toBe(expectedOf((it) => it.conversions.sum));
      expect(total((it) => it.conversions.sumSquares)).toBe(expectedOf((it) => it.conversions.sumSquares));
      expect(total((it) => it.amount.sum)).toBeCloseTo(
        expectedOf((it) => it.amount.sum),
        5,
      );
      expect(total((it) => it.amount.sumSquares)).toBeCloseTo(
        expectedOf((it) => it.amount.sumSquares),
        5,
      );
    }
  }
}

export const byOption = ({ options, ...rest }: VariationFeedback) => ({
  ...rest,
  options: options.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
});

/** Rounds sums of money, because the model adds floating-point numbers. */
export function ordered({ groups, exposures, ...rest }: SplitTestCounts) {
  const text = (it: object) => JSON.stringify(Object.entries(it).sort());
  return {
    ...rest,
    exposures: exposures.map(text).sort(),
    groups: groups
      .map(({ goals, ...group }) => ({
        ...rounded(group),
        goals: goals.map(rounded).sort((a, b) => (a.goalId < b.goalId ? -1 : 1)),
      }))
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
  };
}

function keyOf(group: Omit<SplitTestCounts['groups'][number], 'goals'>): string {
  const { variationKey, firstVariationKey, moved, returning, bot, early, segment, other } = group;
  return JSON.stringify([variationKey, firstVariationKey, moved, returning, bot, early, segment, other]);
}

function rounded<T>(value: T): T {
  if (typeof value === 'number') return (Math.round(value * 1e6) / 1e6 + 0) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, rounded(it)])) as T;
}
