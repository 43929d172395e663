import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../configuration/database/database.ts';
import type { PersonalSubject } from '../../events/store/erasure-subject.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { namedBy, type Suppressed, suppress } from './suppression-store.ts';

type Store = Pick<EventStoreClient, 'forget' | 'sessionIdentity' | 'subjectSessions' | 'subjectVisitors'>;

/** Sessions that are read at a time. */
const PAGE = 5000;

/**
 * An event store whose erasures come with suppressions, so that late events do not bring anybody back: first nothing
 * more is stored about them, then what is stored is deleted.
 *
 * @param waitMs how long other processes may take to know the list
 */
export function suppressingStore(database: Database, store: Store, waitMs: number): Store {
  return {
    sessionIdentity: (...args) => store.sessionIdentity(...args),
    subjectSessions: (query) => store.subjectSessions(query),
    subjectVisitors: (subject) => store.subjectVisitors(subject),
    forget: async (subjects) => {
      let added = 0;
      for (const subject of subjects) {
        // The keys of a deleted property are gone, so nothing more is stored in it.
        if (!('everything' in subject)) added += await suppressSubject(database, store, subject);
      }
      if (added > 0) await sleep(waitMs);
      return store.forget(subjects);
    },
  };
}

/** With the sessions: exposures, goals and feedback name nobody else. */
async function suppressSubject(
  database: Database,
  store: Pick<Store, 'subjectSessions' | 'subjectVisitors'>,
  subject: PersonalSubject,
): Promise<number> {
  const { propertyId } = subject;
  const visitors = (await store.subjectVisitors(subject)).map(
    (id): Suppressed => ({ propertyId, kind: 'visitor', id }),
  );
  let added = await suppress(database, [namedBy(subject), ...visitors]);
  for (let after: string | undefined; ; ) {
    const sessionIds = await store.subjectSessions({
      subject,
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    added += await suppress(
      database,
      sessionIds.map((id) => ({ propertyId, kind: 'session', id })),
    );
    if (sessionIds.length < PAGE) return added;
    after = sessionIds.at(-1);
  }
}
