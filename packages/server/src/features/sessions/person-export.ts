import type { FeedbackState } from '@switchyard/core/api/feedback';
import { PERSON_EXPORT_VERSION, type PersonFlag, type PersonQuery } from '@switchyard/core/api/people';
import type { PersonalSubject } from '../../events/store/erasure-subject.ts';
import type { SessionDetail } from '../../events/store/event-store.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { detailResponse } from './session-responses.ts';

export interface PersonSources {
  eventStore: Pick<EventStoreClient, 'session' | 'subjectSessions' | 'subjectVisitors'>;
  /** What the team has recorded about feedback, by id. */
  statesOf: (
    feedbackIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Pick<FeedbackState, 'status' | 'notes'>>>;
  flagsOf: (session: SessionDetail) => Promise<PersonFlag[]>;
}

const SESSIONS = 500;
const TIMELINE = 500;

/**
 * Everything about one person, as parts of one JSON document. Reads a page when the previous one was taken, so memory
 * does not grow with what is stored.
 */
export async function* personExport(
  sources: PersonSources,
  propertyId: string,
  person: PersonQuery,
): AsyncGenerator<string> {
  const subject = { propertyId, ...person } as PersonalSubject;
  const visitors = await sources.eventStore.subjectVisitors(subject);
  const head = {
    format: 'switchyard-person',
    version: PERSON_EXPORT_VERSION,
    exportedAt: Date.now(),
    propertyId,
    person,
    visitors,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"sessions":[`;
  let latest: SessionDetail | undefined;
  let separator = '';
  for await (const sessionId of sessionsOf(sources, subject)) {
    const session = await sources.eventStore.session({ propertyId, sessionId, limit: TIMELINE });
    // Erased or expired meanwhile.
    if (session === undefined) continue;
    yield `${separator}\n`;
    yield* sessionParts(sources, propertyId, session);
    separator = ',';
    if (latest === undefined || session.lastSeenAt > latest.lastSeenAt) latest = session;
  }
  const flags = latest === undefined ? null : await sources.flagsOf(latest);
  yield `],"flags":${JSON.stringify(flags)}}\n`;
}

async function* sessionsOf({ eventStore }: PersonSources, subject: PersonalSubject): AsyncGenerator<string> {
  for (let after: string | undefined; ; ) {
    const page = await eventStore.subjectSessions({
      subject,
      limit: SESSIONS,
      ...(after !== undefined && { after }),
    });
    yield* page;
    if (page.length < SESSIONS) return;
    after = page.at(-1);
  }
}

async function* sessionParts(
  { eventStore, statesOf }: PersonSources,
  propertyId: string,
  session: SessionDetail,
): AsyncGenerator<string> {
  const { timeline: first, nextCursor: _cursor, ...rest } = detailResponse(session);
  yield `${JSON.stringify(rest).slice(0, -1)},"timeline":[`;
  const states: object[] = [];
  let entries = first;
  let { next } = session.timeline;
  for (let separator = ''; ; separator = ',') {
    if (entries.length > 0) yield separator + entries.map((entry) => JSON.stringify(entry)).join(',');
    const ids = entries.flatMap(({ type, id }) => (type === 'feedback' && id !== undefined ? [id] : []));
    for (const [feedbackId, state] of await statesOf(ids)) states.push({ feedbackId, ...state });
    if (next === undefined) break;
    const { sessionId } = session;
    const page = await eventStore.session({ propertyId, sessionId, limit: TIMELINE, after: next });
    entries = page === undefined ? [] : detailResponse(page).timeline;
    next = page?.timeline.next;
  }
  yield `],"feedbackStates":${JSON.stringify(states)}}`;
}
