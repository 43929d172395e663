import { HOUR_MS } from '@switchyard/core/time';
import type { Selectable } from 'kysely';
import { type Database, type DatabaseHandle, newId } from '../../storage/database.ts';
import type { Subject } from '../../storage/erasure-subject.ts';
import { inTransaction } from '../../storage/in-transaction.ts';
import type { DatabaseTables } from '../../storage/migrations/database-tables.ts';
import { type SuppressedKind, suppressionHash } from '../../storage/suppression-hash.ts';
import { namedBy, openSuppressions } from './suppression-store.ts';

/** A request to erase somebody or something, with its current state. */
export interface ErasureRequest {
  id: string;
  propertyId: string;
  kind: SuppressedKind;
  /** The id to erase, or the pair as JSON; replaced by a hash once its rows are erased. */
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

/** Requests go through the database, because the CLI cannot open an event store that a server has open. */
export async function requestErasure(database: Database, subject: Subject): Promise<string> {
  const id = newId('era');
  const { propertyId, kind, id: text } = namedBy(subject);
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
  return rows.map(toErasure);
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
      const subject = suppressionHash(salt, erasure.propertyId, erasure.kind, erasure.subject);
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
  const [key, value] = JSON.parse(subject) as [string, string];
  return { propertyId, metadata: { key, value } };
}

function toErasure(row: Selectable<DatabaseTables['erasures']>): ErasureRequest {
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
