import type { QueryFunctions } from '../../query-functions.ts';
import { countAllEvents } from '../erasure/forget-subjects.ts';
import { subjectContents, subjectSessions, subjectVisitors } from '../erasure/subject-rows.ts';
import { assignmentCounts } from './assignment-counts.ts';
import { checksums } from './checksums.ts';
import { conversionPage } from './conversion-page.ts';
import { exportEntries } from './export-entries.ts';
import { feedbackCount, feedbackSummary } from './feedback-counts.ts';
import { feedbackPage, feedbackTimes } from './feedback-page.ts';
import { goalBaseline } from './goal-baseline.ts';
import { goalSeries, goalTotals } from './goal-queries.ts';
import { knownSessions } from './known-sessions.ts';
import { newFeedback } from './new-feedback.ts';
import { collectedSessions, storedPositions, watermark } from './positions.ts';
import type { QueryContext } from './query-context.ts';
import { sessionContexts } from './session-contexts.ts';
import { sessionDetail } from './session-detail.ts';
import { sessionIdentity } from './session-identities.ts';
import { sessionPage } from './session-page.ts';
import { splitTestCounts } from './split-test-counts.ts';
import { splitTestEntry } from './split-test-entry.ts';
import { splitTestFeedback } from './split-test-feedback.ts';
import { splitTestSeries } from './split-test-series.ts';
import { trafficBreakdown } from './traffic-breakdown.ts';
import { trafficCounts } from './traffic-counts.ts';
import { liveVisitors, receivedTimes } from './traffic-live.ts';

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
  goalBaseline,
  trafficCounts,
  trafficBreakdown,
  liveVisitors,
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
