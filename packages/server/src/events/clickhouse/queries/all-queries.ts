import type { QueryFunctions } from '../../store/query-functions.ts';
import { countAllEvents } from '../deletion/forget-subjects.ts';
import { subjectContents, subjectSessions, subjectVisitors } from '../deletion/subject-rows.ts';
import { checksums } from '../verification/checksums.ts';
import { exportEntries } from './export/export-entries.ts';
import { feedbackCount, feedbackSummary } from './feedback/feedback-counts.ts';
import { feedbackPage, feedbackTimes } from './feedback/feedback-page.ts';
import { newFeedback } from './feedback/new-feedback.ts';
import { conversionPage } from './goals/conversion-page.ts';
import { goalSeries, goalTotals } from './goals/goal-queries.ts';
import { metricBaseline } from './metrics/metric-baseline.ts';
import { splitTestMetrics } from './metrics/split-test-metrics.ts';
import { collectedSessions, storedPositions, watermark } from './positions.ts';
import type { QueryContext } from './query-context.ts';
import { sessionIdentity } from './sessions/find-identities.ts';
import { knownSessions } from './sessions/known-sessions.ts';
import { sessionContexts } from './sessions/session-contexts.ts';
import { sessionDetail } from './sessions/session-detail.ts';
import { sessionPage } from './sessions/session-page.ts';
import { assignmentCounts } from './split-tests/assignment-counts.ts';
import { goalBaseline } from './split-tests/goal-baseline.ts';
import { splitTestCounts } from './split-tests/split-test-counts.ts';
import { splitTestEntry } from './split-tests/split-test-entry.ts';
import { splitTestFeedback } from './split-tests/split-test-feedback.ts';
import { splitTestSeries } from './split-tests/split-test-series.ts';
import { parameterValues } from './traffic/parameter-values.ts';
import { trafficBreakdown } from './traffic/traffic-breakdown.ts';
import { trafficCounts } from './traffic/traffic-counts.ts';
import { liveVisitors, receivedTimes } from './traffic/traffic-live.ts';

/** How ClickHouse answers the questions of the port. */
export const ALL_QUERIES: QueryFunctions<QueryContext> = {
  watermark,
  positions: storedPositions,
  sessionPage,
  session: sessionDetail,
  sessionIdentity,
  goalTotals,
  goalSeries,
  conversionPage,
  feedbackPage,
  feedbackCount,
  feedbackSummary,
  eventCount: countAllEvents,
  feedbackTimes,
  newFeedback,
  splitTestCounts,
  // Nothing is kept.
  countAhead: async () => {},
  splitTestSeries,
  splitTestEntry,
  splitTestFeedback,
  splitTestMetrics,
  goalBaseline,
  metricBaseline,
  trafficCounts,
  trafficBreakdown,
  liveVisitors,
  parameterValues,
  receivedTimes,
  assignmentCounts,
  sessionContexts,
  knownSessions,
  collectedSessions,
  exportEntries,
  checksums,
  subjectContents,
  subjectSessions,
  subjectVisitors,
};
