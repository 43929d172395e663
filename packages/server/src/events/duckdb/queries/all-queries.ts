import type { QueryFunctions } from '../../store/query-functions.ts';
import { subjectContents, subjectSessions, subjectVisitors } from '../deletion/subject-rows.ts';
import { checksums } from '../verification/checksums.ts';
import { exportEntries } from './export/export-entries.ts';
import { feedbackCount, feedbackSummary } from './feedback/feedback-counts.ts';
import { feedbackPage, feedbackTimes, newFeedback } from './feedback/feedback-page.ts';
import { conversionPage } from './goals/conversion-page.ts';
import { goalSeries, goalTotals } from './goals/goal-queries.ts';
import type { QueryContext } from './query-context.ts';
import { knownSessions } from './sessions/known-sessions.ts';
import { sessionContexts } from './sessions/session-contexts.ts';
import { sessionDetail } from './sessions/session-detail.ts';
import { collectedSessions } from './source-queries.ts';
import { assignmentCounts } from './split-tests/assignment-counts.ts';
import { goalBaseline } from './split-tests/goal-baseline.ts';
import { splitTestFeedback } from './split-tests/split-test-feedback.ts';
import { splitTestEntry } from './split-tests/split-test-series.ts';
import { parameterValues } from './traffic/parameter-values.ts';
import { trafficBreakdown } from './traffic/traffic-breakdown.ts';
import { trafficCounts } from './traffic/traffic-counts.ts';
import { liveVisitors } from './traffic/traffic-live.ts';

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
  parameterValues,
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
