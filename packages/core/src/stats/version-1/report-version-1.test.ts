import { describe, expect, it } from 'vitest';
import version1 from '../../cases/report-version-1.json' with { type: 'json' };
import type { ReportInput } from '../report/report-input.ts';
import { buildReportVersion1 } from './report-version-1.ts';

const { cases } = version1;

describe('the computation of version 1 gives the same results as ever', () => {
  it.each(cases)('$name', ({ input, results }) => {
    const recomputed = JSON.parse(JSON.stringify(buildReportVersion1(input as unknown as ReportInput)));
    expect(recomputed).toStrictEqual(results);
  });
});

it('the cases cover every method, decision and health problem of version 1', () => {
  const engines = cases.map(({ input }) => input.statistics.engine);
  const decisions = cases.flatMap(({ results }) => results.verdicts.map(({ decision }) => decision));
  const problems = cases.flatMap(({ results }) => results.problems.map(({ problem }) => problem));
  expect([...new Set(engines)].sort()).toEqual(['bayesian', 'frequentist', 'sequential']);
  expect([...new Set(decisions)].sort()).toEqual([
    'keep-going',
    'no-difference',
    'roll-back',
    'ship',
    'unhealthy',
  ]);
  expect([...new Set(problems)].sort()).toEqual([
    'missing-exposures',
    'mixed-visitors',
    'novelty',
    'sample-ratio-mismatch',
    'too-few-conversions',
  ]);
});
