import { randomBytes } from 'node:crypto';
import type { Database } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import type { SuppressedKind } from '../../configuration/database/tables/suppression-tables.ts';
import type { PersonalSubject } from '../../events/store/erasure-subject.ts';
import { suppressionHash } from './suppression-hash.ts';

/** Someone, or something, whose events are not stored. */
export interface Suppressed {
  propertyId: string;
  kind: SuppressedKind;
  id: string;
}

export interface Suppression {
  propertyId: string;
  kind: SuppressedKind;
  hash: string;
  createdAt: number;
}

/** The state of the list: what changes with it. */
export interface SuppressionState {
  salt: string;
  revision: number;
  lifted: number;
}

const STATE_ID = 1;
/** Rows of a statement. */
const MAX_ROWS = 500;

export async function readSuppressionState(database: Database): Promise<SuppressionState | undefined> {
  const row = await database
    .selectFrom('suppression_state')
    .select(['salt', 'revision', 'lifted'])
    .where('id', '=', STATE_ID)
    .executeTakeFirst();
  return row && { salt: row.salt, revision: Number(row.revision), lifted: Number(row.lifted) };
}

/** Those that were added after a revision. */
export async function readSuppressions(database: Database, after = 0): Promise<Suppression[]> {
  const rows = await database
    .selectFrom('suppressions')
    .select(['property_id', 'kind', 'hash', 'created_at'])
    .where('revision', '>', after)
    .orderBy('property_id')
    .orderBy('hash')
    .execute();
  return rows.map((row) => ({
    propertyId: row.property_id,
    kind: row.kind,
    hash: row.hash,
    createdAt: Number(row.created_at),
  }));
}

/** Returns how many were not in the list. */
export function suppress(database: Database, suppressed: readonly Suppressed[]): Promise<number> {
  if (suppressed.length === 0) return Promise.resolve(0);
  return inTransaction(database, async (transaction) => {
    const { salt } = await nextRevision(transaction);
    const createdAt = Date.now();
    return insert(
      transaction,
      suppressed.map(({ propertyId, kind, id }) => {
        const hash = suppressionHash(salt, propertyId, kind, id);
        return { propertyId, kind, hash, createdAt };
      }),
    );
  });
}

/** Adds the entries of another copy of the list; they must have the same salt. */
export function mergeSuppressions(
  database: Database,
  salt: string,
  entries: readonly Suppression[],
): Promise<number> {
  return inTransaction(database, async (transaction) => {
    const state = await nextRevision(transaction, salt);
    if (state.salt !== salt) throw new Error('The list of suppressions is of another installation.');
    return insert(transaction, entries);
  });
}

/** Events of this id are stored again from now on; returns whether it was suppressed. */
export function liftSuppression(database: Database, { propertyId, kind, id }: Suppressed): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const state = await readSuppressionState(transaction);
    if (state === undefined) return false;
    const { numDeletedRows } = await transaction
      .deleteFrom('suppressions')
      .where('property_id', '=', propertyId)
      .where('hash', '=', suppressionHash(state.salt, propertyId, kind, id))
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await transaction
      .updateTable('suppression_state')
      .set({ revision: state.revision + 1, lifted: state.lifted + 1 })
      .where('id', '=', STATE_ID)
      .execute();
    return true;
  });
}

/** Those of a deleted property. */
export async function deleteSuppressions(transaction: Database, propertyId: string): Promise<void> {
  await transaction.deleteFrom('suppressions').where('property_id', '=', propertyId).execute();
}

/** What an erasure names. What belongs to it is only known to the event store. */
export function namedBy(subject: PersonalSubject): Suppressed {
  const { propertyId } = subject;
  if ('visitorId' in subject) return { propertyId, kind: 'visitor', id: subject.visitorId };
  if ('userId' in subject) return { propertyId, kind: 'user', id: subject.userId };
  if ('sessionId' in subject) return { propertyId, kind: 'session', id: subject.sessionId };
  if ('feedbackId' in subject) return { propertyId, kind: 'feedback', id: subject.feedbackId };
  const { key, value } = subject.metadata;
  return { propertyId, kind: 'metadata', id: JSON.stringify([key, value]) };
}

/** Creates the list if there is none; with this salt, or with a new one. */
export async function openSuppressions(
  transaction: Database,
  salt: string = randomBytes(24).toString('base64url'),
): Promise<SuppressionState> {
  await transaction
    .insertInto('suppression_state')
    .values({ id: STATE_ID, salt, revision: 0, lifted: 0 })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  return (await readSuppressionState(transaction))!;
}

/** The update also keeps other writers out until the transaction ends. */
async function nextRevision(transaction: Database, salt?: string): Promise<SuppressionState> {
  await openSuppressions(transaction, salt);
  await transaction
    .updateTable('suppression_state')
    .set(({ eb }) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', STATE_ID)
    .execute();
  return (await readSuppressionState(transaction))!;
}

async function insert(transaction: Database, entries: readonly Suppression[]): Promise<number> {
  const { revision } = (await readSuppressionState(transaction))!;
  let added = 0n;
  for (let start = 0; start < entries.length; start += MAX_ROWS) {
    const result = await transaction
      .insertInto('suppressions')
      .values(
        entries.slice(start, start + MAX_ROWS).map(({ propertyId, kind, hash, createdAt }) => ({
          property_id: propertyId,
          kind,
          hash,
          revision,
          created_at: createdAt,
        })),
      )
      .onConflict((conflict) => conflict.columns(['property_id', 'hash']).doNothing())
      .executeTakeFirst();
    added += result.numInsertedOrUpdatedRows ?? 0n;
  }
  return Number(added);
}
