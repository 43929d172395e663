import type { SessionDetail, SessionsPage } from '@switchyard/core/api/sessions';
import { toDollars } from '@switchyard/core/money';
import type * as stored from '../../events/store/event-store.ts';
import type { SessionSummary } from '../../events/store/session-summary.ts';
import { encodeTimelineCursor } from '../../http/contract/paging.ts';

type Summary = SessionsPage['sessions'][number];
type TimelineEntry = SessionDetail['timeline'][number];

/** Converts a session to the API response: micro-dollars to dollars, JSON text to objects. */
export function summaryResponse({ country, goals, ...session }: SessionSummary): Summary {
  return {
    ...session,
    durationMs: session.lastSeenAt - session.startedAt,
    ...(country === null ? {} : { country }),
    goals: goals.map(({ goalId, count, amountMicros }) => ({
      goalId,
      count,
      amount: toDollars(amountMicros),
    })),
  };
}

export function detailResponse({ attributes, timeline, ...summary }: stored.SessionDetail): SessionDetail {
  return {
    ...summaryResponse(summary),
    ...(attributes === null ? {} : { attributes: JSON.parse(attributes) }),
    timeline: timeline.rows.map(timelineResponse),
    nextCursor: encodeTimelineCursor(timeline.next),
  };
}

function timelineResponse(entry: stored.TimelineEntry): TimelineEntry {
  switch (entry.type) {
    case 'exposure': {
      const { attributes, ...rest } = entry;
      return { ...rest, ...parsed('attributes', attributes) };
    }
    case 'goal': {
      const { amountMicros, metadata, ...rest } = entry;
      return { ...rest, amount: toDollars(amountMicros), ...parsed('metadata', metadata) };
    }
    case 'feedback': {
      const { metadata, ...rest } = entry;
      return { ...rest, ...parsed('metadata', metadata) };
    }
    default: {
      const { properties, ...rest } = entry;
      return { ...rest, ...parsed('properties', properties) };
    }
  }
}

function parsed(name: string, json: string | undefined): Record<string, unknown> {
  return json === undefined ? {} : { [name]: JSON.parse(json) };
}
