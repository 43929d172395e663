import { HOUR_MS } from '@switchyard/core/time';
import type { Selectable } from 'kysely';
import { type Database, type DatabaseHandle, newId } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import type { DatabaseTables } from '../../configuration/database/tables/database-tables.ts';
import type { Subject } from '../../events/store/erasure-subject.ts';
import { suppressionHash } from './suppression-hash.ts';
import { deleteSuppressions, namedBy, openSuppressions } from './suppression-store.ts';

/** A request to erase somebody or something, with its current state. */
const WHOLE_PROPERTY = { kind: 'property', id: '' } as const;

export interface ErasureRequest {
  id: string;
  propertyId: string;
  kind: DatabaseTables['erasures']['kind'];
  /** The id to erase, the pair as JSON, or empty for a whole property; replaced by a hash once its rows are erased. */
  subject: string;
  requestedAt: number;
  finishedAt: number | null;
  /** Rows removed from the event store; null before that. */
  rows: number | null;
  /** Why the last attempt failed. */
  error: string | null;
  /** Failed attempts. */
  attempts: number;
  nextAttemptAt: number | null;
}

/** Delay between attempts; doubles after each failure. */
const RETRY_MS = { first: 5000, max: HOUR_MS };

/** Other processes and nodes may accept events of a deleted property until they have heard of it. */
const SETTLE_MS = 3000;

/** Until when events may have been accepted that the request is about. */
export const acceptedUntil = ({ kind, requestedAt }: Pick<ErasureRequest, 'kind' | 'requestedAt'>): number =>
  kind === 'property' ? requestedAt + SETTLE_MS : requestedAt;

/** Requests go through the database, because the CLI cannot open an event store that a server has open. */
export async function requestErasure(database: Database, subject: Subject): Promise<string> {
  const id = newId('era');
  const { propertyId } = subject;
  const { kind, id: text } = 'everything' in subject ? WHOLE_PROPERTY : namedBy(subject);
  await database
    .insertInto('erasures')
    .values({ id, property_id: propertyId, kind, subject: text, requested_at: Date.now() })
    .execute();
  return id;
}

/** Requests to carry out now, oldest first. */
export async function dueErasures(database: Database, now: number): Promise<ErasureRequest[]> {
  const rows = await database
    .selectFrom('erasures')
    .selectAll()
    .where('finished_at', 'is', null)
    // A time that far ahead was written before the clock was set back.
    .where(({ eb, or }) =>
      or([
        eb('next_attempt_at', 'is', null),
        eb('next_attempt_at', '<=', now),
        eb('next_attempt_at', '>', now + RETRY_MS.max),
      ]),
    )
    .orderBy('requested_at')
    .orderBy('id')
    .execute();
  // A request from the future was written before the clock was set back.
  return rows.map(toErasure).filter((it) => acceptedUntil(it) <= now || it.requestedAt > now);
}

export async function findErasure(database: Database, id: string): Promise<ErasureRequest | undefined> {
  const row = await database.selectFrom('erasures').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : toErasure(row);
}

/**
 * Records how many rows were erased and hashes the subjects, so that this database does not name them either. They are
 * finished when its log does not name them any more.
 */
export async function finishErasures(
  handle: DatabaseHandle,
  erased: readonly ErasedRequest[],
): Promise<void> {
  await inTransaction(handle.database, async (transaction) => {
    const { salt } = await openSuppressions(transaction);
    for (const { id, rows } of erased) {
      const erasure = await findErasure(transaction, id);
      if (erasure === undefined || erasure.rows !== null) continue;
      const { propertyId, kind } = erasure;
      if (kind === 'property') await deleteSuppressions(transaction, propertyId);
      const subject = kind === 'property' ? '' : suppressionHash(salt, propertyId, kind, erasure.subject);
      await transaction.updateTable('erasures').set({ subject, rows }).where('id', '=', id).execute();
    }
  });
  await finishErased(handle, erased);
}

/** Finishes requests whose rows are recorded: also those of a run that was interrupted after that. */
export async function finishErased(
  handle: DatabaseHandle,
  erased: readonly Pick<ErasureRequest, 'id'>[],
): Promise<void> {
  if (erased.length === 0) return;
  await handle.scrub();
  await inTransaction(handle.database, async (transaction) => {
    for (const { id } of erased) {
      await transaction
        .updateTable('erasures')
        .set({ finished_at: Date.now(), error: null, next_attempt_at: null })
        .where('id', '=', id)
        .where('finished_at', 'is', null)
        .execute();
    }
  });
}

interface ErasedRequest {
  id: string;
  rows: number;
}

/** Records why the requests failed and when to retry them. */
export async function recordFailure(
  database: Database,
  requests: readonly Pick<ErasureRequest, 'id' | 'attempts'>[],
  error: unknown,
): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  await inTransaction(database, async (transaction) => {
    for (const { id, attempts } of requests) {
      const delay = Math.min(RETRY_MS.first * 2 ** attempts, RETRY_MS.max);
      await transaction
        .updateTable('erasures')
        .set({ error: message, attempts: attempts + 1, next_attempt_at: Date.now() + delay })
        .where('id', '=', id)
        .where('finished_at', 'is', null)
        .execute();
    }
  });
}

/** The subject of a request, as the event store expects it. */
export function subjectOf({ propertyId, kind, subject }: ErasureRequest): Subject {
  if (kind === 'visitor') return { propertyId, visitorId: subject };
  if (kind === 'user') return { propertyId, userId: subject };
  if (kind === 'session') return { propertyId, sessionId: subject };
  if (kind === 'feedback') return { propertyId, feedbackId: subject };
  if (kind === 'property') return { propertyId, everything: true };
  const [key, value] = JSON.parse(subject) as [string, string];
  return { propertyId, metadata: { key, value } };
}

export function toErasure(row: Selectable<DatabaseTables['erasures']>): ErasureRequest {
  return {
    id: row.id,
    propertyId: row.property_id,
    kind: row.kind,
    subject: row.subject,
    requestedAt: row.requested_at,
    finishedAt: row.finished_at,
    rows: row.rows,
    error: row.error,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
  };
}
