import { describe, expect, it } from 'vitest';
import { DEFAULT_STATISTICS } from '../../api/statistics.ts';
import { DAY_MS } from '../../time.ts';
import type { ReportInput } from './report-input.ts';
import { looksOf, looksUntil } from './report-looks.ts';

const START = Date.UTC(2026, 0, 1);

/** A test with a plan of 1,000 visitors and the given exposures per day. */
const input = (daily: readonly number[], hours: number, more: Partial<ReportInput> = {}): ReportInput => ({
  variations: [],
  goals: [],
  statistics: DEFAULT_STATISTICS,
  smallestEffect: null,
  plannedVisitors: 1000,
  includeBots: false,
  groups: [],
  exposures: daily.map((exposures, day) => ({
    at: START + day * DAY_MS,
    variationKey: 'b',
    bot: false,
    exposures,
  })),
  startedAt: START,
  endedAt: null,
  asOf: START + hours * 3_600_000,
  ...more,
});

describe('looks at a planned test', () => {
  it('are at the end of each day, in proportion to the exposures', () => {
    const { fractions, current, times } = looksOf(input([100, 100, 200], 72), 400);
    expect(fractions).toEqual([0.1, 0.2, 0.4]);
    expect(current).toBe(2);
    expect(times).toEqual([1, 2, 3].map((day) => START + day * DAY_MS));
    // 800 exposures of 400 visitors.
    expect(looksOf(input([200, 200, 400], 72), 400).fractions).toEqual([0.1, 0.2, 0.4]);
  });

  it('do not include a day that is not over, except the first', () => {
    expect(looksOf(input([100, 100, 50], 60), 250).fractions).toEqual([0.1, 0.2]);
    expect(looksOf(input([70], 10), 70).fractions).toEqual([0.07]);
  });

  it('end when the plan is reached or the test has ended', () => {
    expect(looksOf(input([400, 400, 300], 60), 1100).fractions).toEqual([0.4, 0.8, 1]);
    expect(looksOf(input([400, 400, 300, 300], 96), 1400).fractions).toEqual([0.4, 0.8, 1]);
    expect(looksOf(input([100, 100, 50], 60, { endedAt: START }), 250).fractions).toEqual([0.1, 0.2, 0.25]);
  });

  it('skip days without new visitors, and bots', () => {
    expect(looksOf(input([100, 0, 100], 72), 200).fractions).toEqual([0.1, 0.2]);
    const bots = input([100, 100], 48).exposures.map((it, day) => ({ ...it, bot: day === 1 }));
    expect(looksOf(input([], 48, { exposures: bots }), 100).fractions).toEqual([0.1]);
    expect(looksOf(input([], 48), 0).fractions).toEqual([1]);
  });

  it('are thinned out for long tests', () => {
    const { fractions } = looksOf(input(new Array(250).fill(1), 250 * 24), 250);
    expect(fractions).toHaveLength(84);
    expect(fractions.at(-1)).toBe(0.25);
  });

  it('are known for every day', () => {
    const looks = looksOf(input([100, 100, 200], 72), 400);
    const current = (day: number) => looksUntil(looks, START + day * DAY_MS).current;
    expect([0.5, 1, 2.5, 3, 9].map(current)).toEqual([0, 0, 1, 2, 2]);
  });
});
