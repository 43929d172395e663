import type { QueryFunctions } from '../../query-functions.ts';
import { subjectContents, subjectSessions, subjectVisitors } from '../file/subject-rows.ts';
import { assignmentCounts } from './assignment-counts.ts';
import { checksums } from './checksums.ts';
import { conversionPage } from './conversion-page.ts';
import { exportEntries } from './export-entries.ts';
import { feedbackCount, feedbackSummary } from './feedback-counts.ts';
import { feedbackPage, feedbackTimes, newFeedback } from './feedback-page.ts';
import { goalBaseline } from './goal-baseline.ts';
import { goalSeries, goalTotals } from './goal-queries.ts';
import { knownSessions } from './known-sessions.ts';
import type { QueryContext } from './query-context.ts';
import { sessionContexts } from './session-contexts.ts';
import { sessionDetail } from './session-detail.ts';
import { collectedSessions } from './source-queries.ts';
import { splitTestFeedback } from './split-test-feedback.ts';
import { splitTestEntry } from './split-test-series.ts';
import { trafficBreakdown } from './traffic-breakdown.ts';
import { trafficCounts } from './traffic-counts.ts';
import { liveVisitors } from './traffic-live.ts';

// How DuckDB answers the questions of the port. Those that need more than a snapshot are methods of `DuckDbEventStore`.

/** All statements of a query run on one snapshot. */
export const SNAPSHOT_QUERIES = {
  session: sessionDetail,
  goalTotals,
  goalSeries,
  conversionPage,
  feedbackPage,
  feedbackCount,
  feedbackSummary,
  feedbackTimes,
  newFeedback,
  splitTestEntry,
  splitTestFeedback,
  goalBaseline,
  trafficCounts,
  trafficBreakdown,
  liveVisitors,
  sessionContexts,
  knownSessions,
  collectedSessions,
  exportEntries,
  subjectContents,
  subjectSessions,
  subjectVisitors,
} satisfies Partial<QueryFunctions<QueryContext>>;

/** Like the others, which do not wait for them. */
export const BACKGROUND_QUERIES = {
  assignmentCounts,
  checksums,
} satisfies Partial<QueryFunctions<QueryContext>>;
