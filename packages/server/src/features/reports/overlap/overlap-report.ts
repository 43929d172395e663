import type { OverlapReport } from '@switchyard/core/api/learning/overlap';
import {
  type OverlapInput,
  overlappingTests,
  overlapSummary,
} from '@switchyard/core/stats/report/overlap-report';
import type { CachePolicy, ReportInputs } from '../report-inputs.ts';
import { reportInput } from '../report-scope.ts';
import type { OverlapScope } from './overlap-scope.ts';

/** Counting starts with no further test after this time; what was counted is cached for the next request. */
const BUDGET_MS = 20_000;

/** Counts the visitors that a test shares with each of the others, those with the longest time in common first. */
export async function overlapReport(
  inputs: ReportInputs,
  { own, others, leftOut }: OverlapScope,
  policy: CachePolicy,
  signal: AbortSignal | undefined,
): Promise<OverlapReport> {
  const counted: OverlapInput[] = [];
  let oldest = Date.now();
  const started = performance.now();
  for (const { test, variations, retired, query } of others) {
    signal?.throwIfAborted();
    if (performance.now() - started > BUDGET_MS) break;
    const { value, asOf } = await inputs.counts(query, policy);
    const input = reportInput(own, value, asOf, false);
    oldest = Math.min(oldest, asOf);
    counted.push({ test, variations, retired, input });
  }
  const { alpha } = own.statistics;
  const tests = overlappingTests(counted, alpha);
  const allLeftOut = leftOut + others.length - counted.length;
  return {
    splitTestKey: own.test.key,
    ...(own.test.measuredRule && { measuredRule: { ...own.test.measuredRule } }),
    phase: own.phase?.number ?? null,
    asOf: oldest,
    method: { alpha, correction: 'holm' },
    summary: overlapSummary(tests, allLeftOut),
    tests,
    leftOut: allLeftOut,
  };
}
