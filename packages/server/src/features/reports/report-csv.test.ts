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
