import type { SessionDetail, SessionQuery } from '../../../store/event-store.ts';
import type { QueryContext } from '../query-context.ts';
import { summariesOf } from './session-summaries.ts';
import { timelinePage } from './session-timeline.ts';

/** A session with a page of its timeline. */
export async function sessionDetail(
  context: QueryContext,
  query: SessionQuery,
): Promise<SessionDetail | undefined> {
  const sessionId = query.sessionId.toWellFormed();
  const [summaries, timeline] = await Promise.all([
    summariesOf(context, query.propertyId, [sessionId], query.ownHosts),
    timelinePage(context, query),
  ]);
  const summary = summaries.get(sessionId);
  return summary && { ...summary, timeline };
}
