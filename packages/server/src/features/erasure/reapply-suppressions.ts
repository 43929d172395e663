import type { Database } from '../../configuration/database/database.ts';
import type { AcceptedRequest } from '../../events/store/accepted-request.ts';
import type { PersonalSubject } from '../../events/store/erasure-subject.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { requestErasure } from './erasure-store.ts';
import { suppressionHash } from './suppression-hash.ts';
import { namedBy, readSuppressionState, readSuppressions } from './suppression-store.ts';

/** Entries that are read at a time. */
const PAGE = 2000;

/**
 * Requests the erasure of everything in a store that the list has: after a restore, erased people may be back. Reads
 * all events, because the list does not say whom it names. Returns the ids of the requests.
 */
export async function requestSuppressedErasures(
  database: Database,
  store: Pick<EventStoreClient, 'positions' | 'exportEntries'>,
): Promise<string[]> {
  const state = await readSuppressionState(database);
  if (state === undefined) return [];
  const hashes = new Set((await readSuppressions(database)).map(({ propertyId, hash }) => propertyId + hash));
  const found = new Map<string, PersonalSubject>();
  for (const source of Object.keys(await store.positions())) {
    for await (const request of requestsOf(store, source)) {
      for (const subject of subjectsOf(request)) {
        const { propertyId, kind, id } = namedBy(subject);
        if (!hashes.has(propertyId + suppressionHash(state.salt, propertyId, kind, id))) continue;
        found.set(JSON.stringify([propertyId, kind, id]), subject);
      }
    }
  }
  const ids: string[] = [];
  for (const subject of found.values()) ids.push(await requestErasure(database, subject));
  return ids;
}

async function* requestsOf(
  store: Pick<EventStoreClient, 'exportEntries'>,
  source: string,
): AsyncGenerator<AcceptedRequest> {
  for (let after = 0; ; ) {
    const entries = await store.exportEntries(source, after, PAGE);
    for (const { request } of entries) yield request;
    if (entries.length < PAGE) return;
    after = entries.at(-1)!.seq;
  }
}

/** All that an event could be suppressed by. */
function subjectsOf(request: AcceptedRequest): PersonalSubject[] {
  const { propertyId } = request;
  if (request.kind === 'exposures') {
    const sessionIds = new Set(request.exposures.map(({ sessionId }) => sessionId));
    return [...sessionIds].map((sessionId) => ({ propertyId, sessionId }));
  }
  const subjects: PersonalSubject[] = [];
  if (request.sessionId !== undefined) subjects.push({ propertyId, sessionId: request.sessionId });
  if (request.kind === 'collect') {
    const { visitorId, userId } = request;
    subjects.push({ propertyId, visitorId });
    if (userId !== undefined) subjects.push({ propertyId, userId });
    return subjects;
  }
  if (request.kind === 'feedback') subjects.push({ propertyId, feedbackId: request.id });
  const metadata = JSON.parse(request.metadata ?? '{}') as Record<string, string>;
  for (const [key, value] of Object.entries(metadata))
    subjects.push({ propertyId, metadata: { key, value } });
  return subjects;
}
