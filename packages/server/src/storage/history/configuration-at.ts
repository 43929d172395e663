import type { Document, EntityType } from '../changes/entities.ts';
import type { Database } from '../database.ts';
import type { HistoryEntry } from './history-entry.ts';
import { HistoryState, type PastConfiguration } from './history-state.ts';
import { rowsAfter, toEntry } from './history-store.ts';
import { readSnapshot } from './snapshot-store.ts';

/** Small, because an entry can be as large as a configuration. */
const PAGE_ROWS = 100;

/**
 * The configuration of a property as it was at a moment, with the segments, prerequisites and definitions of that
 * time; undefined if the property did not exist, or if the history begins later.
 */
export async function configurationAt(
  database: Database,
  propertyId: string,
  moment: number,
): Promise<PastConfiguration | undefined> {
  const state = await rebuild(database, propertyId, (entry) => entry.at <= moment);
  return state.configuration();
}

/** The state of an item at one of its versions; undefined if it is not known, or if the item was deleted since. */
export async function documentAtVersion(
  database: Database,
  propertyId: string,
  { type, key }: { type: EntityType; key: string },
  version: number,
): Promise<Document | undefined> {
  const column = type === 'property' ? 'property_version' : 'version';
  let query = database
    .selectFrom('history')
    .select((select) => select.fn.max<number | null>('sequence').as('sequence'))
    .where('property_id', '=', propertyId)
    .where(column, '=', version);
  if (type !== 'property') query = query.where('entity_type', '=', type).where('entity_key', '=', key);
  const found = (await query.executeTakeFirst())?.sequence ?? undefined;
  // The first entry of an old installation contains items of any version.
  const sequence = found ?? (await importSequence(database, propertyId));
  if (sequence === undefined) return undefined;
  if (await isDeletedSince(database, propertyId, { type, key }, sequence)) return undefined;
  const state = await stateAfter(database, propertyId, sequence);
  if (type === 'property') return found === undefined ? undefined : state.property;
  const item = state.item(type, key);
  return item?.version === version ? item.document : undefined;
}

async function isDeletedSince(
  database: Database,
  propertyId: string,
  { type, key }: { type: EntityType; key: string },
  sequence: number,
): Promise<boolean> {
  const row = await database
    .selectFrom('history')
    .select('sequence')
    .where('property_id', '=', propertyId)
    .where('entity_type', '=', type)
    .where('entity_key', '=', key)
    .where('sequence', '>', sequence)
    .where('action', '=', 'delete')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Nothing precedes an import. */
async function importSequence(database: Database, propertyId: string): Promise<number | undefined> {
  const row = await database
    .selectFrom('history')
    .select('sequence')
    .where('property_id', '=', propertyId)
    .where('sequence', '=', 1)
    .where('action', '=', 'import')
    .executeTakeFirst();
  return row?.sequence;
}

/** The state after an entry, by its position. */
export function stateAfter(database: Database, propertyId: string, sequence: number): Promise<HistoryState> {
  return rebuild(database, propertyId, (entry) => entry.sequence <= sequence, sequence);
}

/** Applies entries while they are included, from the nearest snapshot on. */
async function rebuild(
  database: Database,
  propertyId: string,
  isIncluded: (entry: HistoryEntry) => boolean,
  maxSequence = Number.MAX_SAFE_INTEGER,
): Promise<HistoryState> {
  const snapshot = await latestSnapshot(database, propertyId, isIncluded, maxSequence);
  const state = snapshot?.state ?? new HistoryState();
  let position = snapshot?.sequence ?? 0;
  for (;;) {
    const limit = Math.min(PAGE_ROWS, maxSequence - position);
    const rows = limit > 0 ? await rowsAfter(database, propertyId, position, limit) : [];
    for (const row of rows) {
      const entry = toEntry(row);
      if (!isIncluded(entry)) return state;
      state.apply(entry);
      position = entry.sequence;
    }
    if (rows.length < PAGE_ROWS) return state;
  }
}

async function latestSnapshot(
  database: Database,
  propertyId: string,
  isIncluded: (entry: HistoryEntry) => boolean,
  maxSequence: number,
): Promise<{ state: HistoryState; sequence: number } | undefined> {
  const candidates = await database
    .selectFrom('history_snapshots as snapshot')
    .innerJoin('history', (join) =>
      join
        .onRef('history.property_id', '=', 'snapshot.property_id')
        .onRef('history.sequence', '=', 'snapshot.sequence'),
    )
    .select(['snapshot.sequence', 'history.at'])
    .where('snapshot.property_id', '=', propertyId)
    .where('snapshot.sequence', '<=', maxSequence)
    .orderBy('snapshot.sequence', 'desc')
    .execute();
  const found = candidates.find((row) => isIncluded(row as HistoryEntry));
  if (found === undefined) return undefined;
  const state = await readSnapshot(database, propertyId, found.sequence);
  return { state: HistoryState.parse(state), sequence: found.sequence };
}
