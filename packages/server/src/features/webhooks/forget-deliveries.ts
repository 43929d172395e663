import type { Database } from '../../configuration/database/database.ts';
import { metadataTexts, type Subject } from '../../events/store/erasure-subject.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';

type Store = Pick<EventStoreClient, 'forget' | 'sessionIdentity' | 'subjectVisitors'>;

/** An event store whose erasures include the deliveries about the subjects, sent or not. */
export function forgettingDeliveries(database: Database, store: Store): Pick<EventStoreClient, 'forget'> {
  return {
    forget: async (subjects) => {
      // Before: a session may have got its visitor after the event was queued, and only the store knows.
      const people = await withVisitors(store, subjects);
      await forgetDeliveries(database, people, store);
      const erased = await store.forget(subjects);
      // After: events may have been queued meanwhile.
      await forgetDeliveries(database, people);
      return erased;
    },
  };
}

/** The visitors of a user are only known until they are erased. */
async function withVisitors(
  store: Pick<Store, 'subjectVisitors'>,
  subjects: readonly Subject[],
): Promise<Subject[]> {
  const all: Subject[] = [...subjects];
  for (const subject of subjects) {
    if (!('userId' in subject)) continue;
    for (const visitorId of await store.subjectVisitors(subject)) {
      all.push({ propertyId: subject.propertyId, visitorId });
    }
  }
  return all;
}

async function forgetDeliveries(
  database: Database,
  subjects: readonly Subject[],
  store?: Pick<Store, 'sessionIdentity'>,
): Promise<void> {
  for (const propertyId of new Set(subjects.map((subject) => subject.propertyId))) {
    const ofProperty = subjects.filter((subject) => subject.propertyId === propertyId);
    for (const { id, ...named } of await deliveriesAboutSomeone(database, propertyId)) {
      const current =
        named.sessionId === null ? undefined : await store?.sessionIdentity(propertyId, named.sessionId);
      const isForgotten = ofProperty.some(
        (subject) => isAbout(named, subject) || (current && isAbout({ ...named, ...current }, subject)),
      );
      if (isForgotten) await database.deleteFrom('webhook_deliveries').where('id', '=', id).execute();
    }
  }
}

interface Named {
  body: string;
  sessionId: string | null;
  visitorId: string | null;
  userId: string | null;
}

function deliveriesAboutSomeone(database: Database, propertyId: string): Promise<(Named & { id: string })[]> {
  return database
    .selectFrom('webhook_deliveries')
    .select(['id', 'body', 'session_id as sessionId', 'visitor_id as visitorId', 'user_id as userId'])
    .where('property_id', '=', propertyId)
    .where('type', 'like', 'feedback.%')
    .execute();
}

function isAbout(named: Named, subject: Subject): boolean {
  if ('visitorId' in subject) return named.visitorId === subject.visitorId;
  if ('userId' in subject) return named.userId === subject.userId;
  if ('everything' in subject) return true;
  if ('sessionId' in subject) return named.sessionId === subject.sessionId;
  if ('feedbackId' in subject) return named.body.includes(JSON.stringify(subject.feedbackId));
  return metadataTexts(subject.metadata).some((text) => named.body.includes(text));
}
