import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { type Database, type DatabaseHandle, newId } from '../../storage/database.ts';
import type { Subject } from '../../storage/event-store.ts';
import type { DatabaseTables } from '../../storage/migrations/database-tables.ts';

/** A request to forget somebody, as it stands. */
export interface ErasureRequest {
  id: string;
  propertyId: string;
  kind: 'visitor' | 'user' | 'session';
  /** Whom to forget; the SHA-256 of it once that is done. */
  subject: string;
  requestedAt: number;
  finishedAt: number | null;
  /** Rows removed from the event store. */
  rows: number | null;
  error: string | null;
}

export type ErasureOutcome = { rows: number } | { error: string };

/** Asks for an erasure; requests travel through the database, because the asker does not hold the events. */
export async function request(database: Database, subject: Subject): Promise<string> {
  const id = newId('era');
  await database
    .insertInto('erasures')
    .values({ id, property_id: subject.propertyId, ...kindAndText(subject), requested_at: Date.now() })
    .execute();
  return id;
}

/** Oldest first. */
export async function pending(database: Database): Promise<ErasureRequest[]> {
  const rows = await database
    .selectFrom('erasures')
    .selectAll()
    .where('finished_at', 'is', null)
    .orderBy('requested_at')
    .orderBy('id')
    .execute();
  return rows.map(toErasure);
}

export async function find(database: Database, id: string): Promise<ErasureRequest | undefined> {
  const row = await database.selectFrom('erasures').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : toErasure(row);
}

/** Records the outcome and forgets the subject here too, so that not even this file names it afterwards. */
export async function finish(handle: DatabaseHandle, id: string, outcome: ErasureOutcome): Promise<void> {
  const erasure = await find(handle.database, id);
  if (erasure === undefined || erasure.finishedAt !== null) return;
  const subject = createHash('sha256').update(erasure.subject).digest('hex');
  await handle.database
    .updateTable('erasures')
    .set({ subject, finished_at: Date.now(), ...outcome })
    .where('id', '=', id)
    .execute();
  await handle.scrub();
}

/** The request in the words of the event store. */
export function subjectOf({ propertyId, kind, subject }: ErasureRequest): Subject {
  if (kind === 'visitor') return { propertyId, visitorId: subject };
  if (kind === 'user') return { propertyId, userId: subject };
  return { propertyId, sessionId: subject };
}

function kindAndText(subject: Subject): Pick<ErasureRequest, 'kind' | 'subject'> {
  if ('visitorId' in subject) return { kind: 'visitor', subject: subject.visitorId };
  if ('userId' in subject) return { kind: 'user', subject: subject.userId };
  return { kind: 'session', subject: subject.sessionId };
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
  };
}
