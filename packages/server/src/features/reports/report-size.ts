import { DAY_MS } from '@switchyard/core/time';
import type { DayRange } from '../../events/store/split-test-queries.ts';
import type { ReportScope } from './report-scope.ts';

/** Further segments are too small to be meaningful. */
const MAX_SEGMENTS = 50;
/** Max results (one per variation and goal) over all points or segments of a report: about a second of work. */
const MAX_RESULTS = 20_000;

const resultsPerList = ({ variations, goals }: ReportScope) => variations.length * Math.max(1, goals.length);

/** The number of segments that are counted separately. */
export function maxSegments(scope: ReportScope): number {
  return Math.max(1, Math.min(MAX_SEGMENTS, Math.floor(MAX_RESULTS / resultsPerList(scope))));
}

/** The points of a series: one per day, or one every few days for a test with many variations and goals. */
export function seriesDays(scope: ReportScope): DayRange {
  const { from, to } = scope.localDays;
  const days = (to - from) / DAY_MS + 1;
  return { ...scope.localDays, step: Math.ceil((days * resultsPerList(scope)) / MAX_RESULTS) };
}
