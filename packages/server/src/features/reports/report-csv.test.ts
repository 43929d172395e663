import type { Report } from '@switchyard/core/stats/report/report';
import { expect, test } from 'vitest';
import { countsCsv } from './report-csv.ts';

test('amounts have no digits beyond those that are exact', () => {
  const counts = {
    converted: 2,
    conversions: { sum: 2, sumSquares: 2 },
    amount: { sum: 7021.35, sumSquares: 24_649_727.750000004 },
    convertedAmount: 7021.35,
  };
  const report = {
    variations: [{ key: 'control', weight: 100, exposures: 2, visitors: 2, bots: 0 }],
    goals: [{ goal: { id: 'revenue', kind: 'revenue', role: 'primary' }, counts: [counts] }],
  } as unknown as Report;
  expect(countsCsv('checkout', 1, report).split('\r\n')[1]).toBe(
    'checkout,1,control,100,2,2,0,revenue,revenue,primary,2,2,2,7021.35,24649727.75,7021.35,',
  );
});

test('metrics have columns of their own, and funnels a row for each step', () => {
  const report = {
    variations: [{ key: 'control', weight: 100, exposures: 9, visitors: 8, bots: 0 }],
    goals: [
      {
        goal: { id: 'signup', kind: 'count', role: 'primary' },
        counts: [{ converted: 2, conversions: SUMS, amount: { sum: 0, sumSquares: 0 }, convertedAmount: 0 }],
      },
      {
        goal: metric('checkout', 'funnel'),
        measured: [
          { ...COUNTED, reached: 2, sum: 2, sumSquares: 2, steps: [{ visitors: 4 }, { visitors: 2 }] },
        ],
      },
      {
        goal: metric('errors', 'ratio'),
        measured: [
          {
            ...COUNTED,
            reached: 3,
            sum: 0.1 + 0.2,
            sumSquares: 9,
            denominatorSum: 20,
            denominatorSumSquares: 80,
            product: 15,
          },
        ],
      },
      {
        goal: metric('load', 'quantile'),
        measured: [{ ...COUNTED, values: 12, value: 1.8, standardError: null }],
      },
    ],
  } as unknown as Report;
  const rows = countsCsv('checkout', 2, report).trimEnd().split('\r\n');
  expect(rows.map((row) => row.split(',').slice(7))).toEqual(
    [
      'goal,goal_kind,goal_role,converted_visitors,conversions,conversions_sum_squares,amount,amount_sum_squares,converted_amount,answered_visitors,metric_kind,counted_visitors,pending_visitors,reached_visitors,value,value_sum_squares,denominator,denominator_sum_squares,product,values,standard_error,funnel_step',
      'signup,count,primary,2,2,2,0,0,0,,,,,,,,,,,,,',
      'metric:checkout,metric,secondary,,,,,,,,funnel,6,2,2,2,2,,,,,,',
      'metric:checkout,metric,secondary,,,,,,,,funnel,6,2,4,,,,,,,,1',
      'metric:checkout,metric,secondary,,,,,,,,funnel,6,2,2,,,,,,,,2',
      'metric:errors,metric,secondary,,,,,,,,ratio,6,2,3,0.3,9,20,80,15,,,',
      'metric:load,metric,secondary,,,,,,,,quantile,6,2,,1.8,,,,,12,,',
    ].map((row) => row.split(',')),
  );
});

const SUMS = { sum: 2, sumSquares: 2 };
const COUNTED = { key: 'control', visitors: 6, pending: 2 };
const metric = (id: string, kind: string) => ({
  id: `metric:${id}`,
  kind: 'metric',
  role: 'secondary',
  definition: { kind },
});
