import { SplitTestResults } from '@switchyard/core/api/results';
import { DEFAULT_STATISTICS } from '@switchyard/core/api/statistics';
import { buildReport, comparedCounts, settingsFor } from '@switchyard/core/stats/report/report';
import type { ReportGoal, ReportInput, ReportMetric } from '@switchyard/core/stats/report/report-input';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { breakdownResponse } from './report-breakdown.ts';
import { resultsResponse, wholeTestOnly } from './report-response.ts';
import type { ReportScope } from './report-scope.ts';
import { seriesResponse } from './report-series.ts';

const metric = (id: string, role: ReportGoal['role'], definition: Partial<ReportMetric>): ReportGoal => ({
  id: `metric:${id}`,
  name: id,
  kind: 'metric',
  metricId: id,
  role,
  lowerIsBetter: false,
  definition: { kind: 'retention', format: 'percent', withinDays: 7, ...definition },
});
const GOALS: readonly ReportGoal[] = [
  metric('back', 'primary', {}),
  { id: 'signup', name: 'Sign-ups', kind: 'count', role: 'secondary', lowerIsBetter: false },
  metric('shop', 'secondary', { kind: 'funnel', steps: ['/cart', 'paid'] }),
  metric('spent', 'secondary', { kind: 'sum', format: 'money', withinDays: null }),
  metric('load', 'guardrail', { kind: 'quantile', quantile: 0.9, format: 'seconds' }),
  metric('left', 'guardrail', { kind: 'page', of: 'bounce' }),
];
const KEYS = ['control', 'b', 'c'];
const NONE = { sum: 0, sumSquares: 0 };
const groupsOf = (segment: string | null) =>
  KEYS.map((variationKey) => ({
    variationKey,
    bot: false,
    early: false,
    segment,
    other: false,
    visitors: 1000,
    goals: [],
  }));

const DAY = 86_400_000;
const INPUT: ReportInput = {
  variations: KEYS.map((key) => ({ key, weight: 1, ...(key === 'c' && { retired: true }) })),
  goals: GOALS,
  statistics: DEFAULT_STATISTICS,
  smallestEffect: 0.05,
  plannedVisitors: null,
  includeBots: false,
  groups: groupsOf(null),
  metrics: {
    groups: ['back', 'shop', 'spent', 'left'].flatMap((metricId) =>
      KEYS.map((variationKey) => ({
        metricId,
        variationKey,
        returning: false,
        bot: false,
        visitors: 900,
        pending: 100,
        reached: 300,
        value: { sum: 400, sumSquares: 900 },
        denominator: metricId === 'left' ? { sum: 1200, sumSquares: 2500 } : NONE,
        product: metricId === 'left' ? 800 : 0,
        ...(metricId === 'shop' && { steps: [500, 300] }),
      })),
    ),
    quantiles: KEYS.map((variationKey) => ({
      metricId: 'load',
      variationKey,
      includeBots: false,
      visitors: 800,
      pending: 100,
      values: 2400,
      value: 1.8,
      standardError: 0.1,
    })),
  },
  exposures: [],
  startedAt: 0,
  endedAt: null,
  asOf: 10 * DAY,
};
const SCOPE = {
  statistics: DEFAULT_STATISTICS,
  currency: 'USD',
  test: {
    key: 'hero',
    status: 'running',
    winner: null,
    attributionDays: 7,
    smallestEffect: 0.05,
    plannedVisitors: null,
  },
  phases: [],
  phase: null,
  variations: INPUT.variations,
  goals: GOALS,
  query: { days: { from: 0, to: 9 * DAY, step: 1 } },
} as unknown as ReportScope;

const respond = () => resultsResponse(SCOPE, buildReport(INPUT), INPUT.asOf, 'exclude');
const settings = () => settingsFor(INPUT, comparedCounts(INPUT));

describe('results with metrics', () => {
  it('are as in the schema', () => {
    expect([...Value.Errors(SplitTestResults, JSON.parse(JSON.stringify(respond())))]).toEqual([]);
  });

  it('say what each metric is', () => {
    const members = respond().goals.map((goal) => {
      const { counts: _counts, measured: _measured, metrics: _metrics, name: _name, ...rest } = goal;
      return rest;
    });
    const common = { kind: 'metric', lowerIsBetter: false, pending: 200 };
    expect(members).toEqual([
      {
        ...common,
        goalId: 'metric:back',
        metricId: 'back',
        metricKind: 'retention',
        format: 'percent',
        withinDays: 7,
        role: 'primary',
      },
      { goalId: 'signup', kind: 'count', role: 'secondary', lowerIsBetter: false },
      {
        ...common,
        goalId: 'metric:shop',
        metricId: 'shop',
        metricKind: 'funnel',
        format: 'percent',
        withinDays: 7,
        role: 'secondary',
      },
      {
        ...common,
        goalId: 'metric:spent',
        metricId: 'spent',
        metricKind: 'sum',
        format: 'money',
        withinDays: null,
        role: 'secondary',
      },
      {
        ...common,
        goalId: 'metric:load',
        metricId: 'load',
        metricKind: 'quantile',
        quantile: 0.9,
        format: 'seconds',
        withinDays: 7,
        role: 'guardrail',
        state: 'open',
        maxHarm: 0.05,
      },
      {
        ...common,
        goalId: 'metric:left',
        metricId: 'left',
        metricKind: 'page',
        of: 'bounce',
        format: 'percent',
        withinDays: 7,
        role: 'guardrail',
        state: 'open',
        maxHarm: 0.05,
      },
    ]);
  });

  it('have what was counted, steps and values, and nothing of the kind for goals', () => {
    const [back, signup, shop, spent, load, left] = respond().goals;
    const counted = { key: 'b', visitors: 900, pending: 100, reached: 300, sum: 400, sumSquares: 900 };
    expect([back, shop, spent, left].map((goal) => goal!.measured![1])).toEqual([
      counted,
      {
        ...counted,
        steps: [
          { name: '/cart', visitors: 500 },
          { name: 'paid', visitors: 300 },
        ],
      },
      counted,
      { ...counted, denominatorSum: 1200, denominatorSumSquares: 2500, product: 800 },
    ]);
    expect(load!.measured![1]).toEqual({
      key: 'b',
      visitors: 800,
      pending: 100,
      values: 2400,
      value: 1.8,
      standardError: 0.1,
    });
    expect(Object.keys(signup!)).toEqual([
      'goalId',
      'name',
      'kind',
      'role',
      'lowerIsBetter',
      'counts',
      'metrics',
    ]);
    expect(Object.keys(signup!.metrics[0]!)).toEqual(['metric', 'decides', 'variations']);
    expect(shop!.metrics.map(({ metric, format, step, decides }) => [metric, format, step, decides])).toEqual(
      [
        ['completion-rate', 'percent', undefined, true],
        ['step-rate', 'percent', 1, false],
        ['step-rate', 'percent', 2, false],
      ],
    );
    expect(spent!.metrics.map(({ metric, format }) => [metric, format])).toEqual([
      ['sum-per-visitor', 'money'],
      ['visitor-share', 'percent'],
    ]);
  });
});

describe('details leave metrics out', () => {
  it('in segments, which are not compared if the primary goal is a metric', () => {
    const groups = [...groupsOf('DE'), ...groupsOf('FR')];
    const counts = { groups, exposures: [] } as unknown as Parameters<typeof breakdownResponse>[2];
    const found = breakdownResponse(SCOPE, 'country', counts, INPUT.asOf, false, settings());
    expect(found.segments.map(({ value, goals }) => [value, goals.map(({ goalId }) => goalId)])).toEqual([
      ['DE', ['signup']],
      ['FR', ['signup']],
    ]);
    expect(found.differences).toEqual([]);
    expect(found.words).toBe(
      'The groups are not compared: the primary goal is a metric, and metrics are counted for the whole test only.',
    );
    const other = {
      ...SCOPE,
      goals: GOALS.map((goal) => ({ ...goal, role: goal.id === 'signup' ? 'primary' : 'secondary' })),
    };
    const withGoal = breakdownResponse(
      other as ReportScope,
      'country',
      counts,
      INPUT.asOf,
      false,
      settings(),
    );
    expect(withGoal.words).toMatch(/^No group differs/);
  });

  it('and the response says which', () => {
    const left = ['metric:back', 'metric:shop', 'metric:spent', 'metric:load', 'metric:left'];
    expect(wholeTestOnly(SCOPE)).toEqual({ wholeTestOnly: left });
    expect(wholeTestOnly({ goals: [GOALS[1]!] })).toEqual({});
  });

  it('on single days', () => {
    const days = { from: 0, to: 9 * DAY, step: 1 };
    const visitors = [{ at: 0, variationKey: 'b', bot: false, visitors: 10 }];
    const series = seriesResponse(SCOPE, days, { visitors, goals: [] } as never, false, settings());
    expect(series.map(({ goals }) => goals.map(({ goalId }) => goalId))).toEqual([['signup']]);
  });
});
