import { randomBytes } from 'node:crypto';
import { CHAIN_START } from '../audit/hash-chain.ts';
import { type Database, newId } from '../database/database.ts';
import type { Actor, Via } from '../property/actor.ts';
import type { EntityType } from '../property/entities.ts';
import { commitmentTo, entryHash, type HistoryRow, type HistoryText } from './history-chain.ts';
import type { HistoryEntry, NewEntry } from './history-entry.ts';
import { sequenceAt } from './sequence-at.ts';

/** What the entries of one change have in common. */
export interface ChangeContext {
  propertyId: string;
  actor: Actor;
  via: Via;
  comment: string | null;
  at: number;
  propertyVersion: number;
}

/** Appends entries to the chain of a property; called in the transaction of the change. */
export async function appendHistory(
  database: Database,
  context: ChangeContext,
  entries: readonly NewEntry[],
): Promise<HistoryEntry[]> {
  const last = await lastRow(database, context.propertyId);
  // A clock that was set back must not reorder the history.
  const orderedAt = Math.max(context.at, (last?.ordered_at ?? 0) + 1);
  let { sequence, hash } = last ?? { sequence: 0, hash: CHAIN_START };
  const rows = entries.map((entry): HistoryRow => {
    sequence += 1;
    const row = toRow(entry, context, orderedAt, sequence);
    hash = entryHash(row, hash);
    return { ...row, hash };
  });
  await insertInChunks(database, rows);
  return rows.map(toEntry);
}

export function lastRow(database: Database, propertyId: string): Promise<HistoryRow | undefined> {
  return database
    .selectFrom('history')
    .selectAll()
    .where('property_id', '=', propertyId)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** SQLite limits the number of parameters of a statement. */
const ROWS_PER_INSERT = 500;

async function insertInChunks(database: Database, rows: readonly HistoryRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    await database
      .insertInto('history')
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .execute();
  }
}

/** Without the salt of the commitment to the original text. */
export async function replaceText(
  database: Database,
  propertyId: string,
  sequence: number,
  text: HistoryText,
): Promise<void> {
  await database
    .updateTable('history')
    .set({ ...text, salt: null })
    .where('property_id', '=', propertyId)
    .where('sequence', '=', sequence)
    .execute();
}

function toRow(
  entry: NewEntry,
  context: ChangeContext,
  orderedAt: number,
  sequence: number,
): Omit<HistoryRow, 'hash'> {
  const salt = randomBytes(16).toString('hex');
  const text: HistoryText = {
    actor_name: context.actor.name,
    comment: context.comment,
    changes: JSON.stringify(entry.changes),
  };
  return {
    ...text,
    id: newId('chg'),
    property_id: context.propertyId,
    sequence,
    at: context.at,
    ordered_at: orderedAt,
    actor_type: context.actor.type,
    actor_id: context.actor.id,
    via: context.via,
    entity_type: entry.entity.type,
    entity_key: entry.entity.key,
    action: entry.action,
    version: entry.version,
    property_version: context.propertyVersion,
    salt,
    commitment: commitmentTo(text, salt),
  };
}

export function toEntry(row: HistoryRow): HistoryEntry {
  return {
    id: row.id,
    propertyId: row.property_id,
    sequence: row.sequence,
    at: row.at,
    orderedAt: row.ordered_at,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    via: row.via,
    entity: { type: row.entity_type, key: row.entity_key },
    action: row.action,
    comment: row.comment,
    changes: JSON.parse(row.changes),
    version: row.version,
    propertyVersion: row.property_version,
    hash: row.hash,
    redacted: row.salt === null,
  };
}

export interface HistoryFilter {
  entity?: EntityType | undefined;
  key?: string | undefined;
  /** Id or name. */
  actor?: string | undefined;
  /** What was saved from this moment on, in the order of the versions. */
  from?: number | undefined;
  /** What was saved before this moment, in the order of the versions. */
  to?: number | undefined;
  /** Only entries before this position. */
  before?: number | undefined;
  limit: number;
}

/** A page ends early at about this many characters. */
const MAX_PAGE_LENGTH = 1024 * 1024;

/** The entries of a property, newest first. */
export async function listHistory(
  database: Database,
  propertyId: string,
  { limit, ...filter }: HistoryFilter,
): Promise<{ rows: HistoryRow[]; hasMore: boolean }> {
  const matching = (await filteredHistory(database, propertyId, filter)).orderBy('sequence', 'desc');
  // First the lengths alone: many large entries would not fit in memory.
  const found = await matching
    .select(({ fn }) => ['sequence', fn<number>('length', ['changes']).as('length')])
    .limit(limit + 1)
    .execute();
  const page = fittingPage(found.slice(0, limit));
  const [first, last] = [page[0], page.at(-1)];
  if (first === undefined || last === undefined) return { rows: [], hasMore: false };
  const rows = await matching
    .selectAll()
    .where('sequence', '<=', first.sequence)
    .where('sequence', '>=', last.sequence)
    .execute();
  return { rows, hasMore: found.length > page.length };
}

/** At least one entry. */
function fittingPage<T extends { length: number }>(entries: readonly T[]): T[] {
  let total = 0;
  return entries.filter(({ length }, index) => {
    total += length;
    return index === 0 || total <= MAX_PAGE_LENGTH;
  });
}

async function filteredHistory(
  database: Database,
  propertyId: string,
  { entity, key, actor, from, to, before }: Omit<HistoryFilter, 'limit'>,
) {
  let query = database.selectFrom('history').where('property_id', '=', propertyId);
  if (entity !== undefined) query = query.where('entity_type', '=', entity);
  if (key !== undefined) query = query.where('entity_key', '=', key);
  if (actor !== undefined) {
    query = query.where(({ eb, or }) => or([eb('actor_id', '=', actor), eb('actor_name', '=', actor)]));
  }
  if (from !== undefined) {
    query = query.where('sequence', '>', await sequenceAt(database, propertyId, from - 1));
  }
  if (to !== undefined) query = query.where('sequence', '<=', await sequenceAt(database, propertyId, to - 1));
  if (before !== undefined) query = query.where('sequence', '<', before);
  return query;
}

export function findHistoryRow(
  database: Database,
  propertyId: string,
  id: string,
): Promise<HistoryRow | undefined> {
  return database
    .selectFrom('history')
    .selectAll()
    .where('property_id', '=', propertyId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Entries after a position, oldest first. */
export function rowsAfter(
  database: Database,
  propertyId: string,
  sequence: number,
  limit: number,
): Promise<HistoryRow[]> {
  return database
    .selectFrom('history')
    .selectAll()
    .where('property_id', '=', propertyId)
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .limit(limit)
    .execute();
}
