import { type Document, type EntityType, ITEM_TYPES, itemsOf } from '../changes/entities.ts';
import type { Database } from '../database.ts';
import type { PropertyConfiguration } from '../property-configuration.ts';
import type { HistoryEntry } from './history-entry.ts';
import { HistoryState, type PastConfiguration } from './history-state.ts';
import { rowsAfter, toEntry } from './history-store.ts';

/** A snapshot is stored after as many entries as there are items, but not after fewer than this. */
const MIN_SNAPSHOT_INTERVAL = 200;
const PAGE_ROWS = 500;

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

/** The state of an item at one of its versions; undefined if it is not known. */
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
  const state = await stateAfter(database, propertyId, sequence);
  if (type === 'property') return found === undefined ? undefined : state.property;
  const item = state.item(type, key);
  return item?.version === version ? item.document : undefined;
}

async function importSequence(database: Database, propertyId: string): Promise<number | undefined> {
  const row = await database
    .selectFrom('history')
    .select('sequence')
    .where('property_id', '=', propertyId)
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
    const rows = await rowsAfter(database, propertyId, position, PAGE_ROWS);
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
  const { state } = await database
    .selectFrom('history_snapshots')
    .select('state')
    .where('property_id', '=', propertyId)
    .where('sequence', '=', found.sequence)
    .executeTakeFirstOrThrow();
  return { state: HistoryState.parse(JSON.parse(state)), sequence: found.sequence };
}

/** Stores a snapshot if the last one is too many entries ago; called in the transaction of a change. */
export async function saveSnapshotIfDue(
  database: Database,
  propertyId: string,
  lastSequence: number,
  property: PropertyConfiguration,
): Promise<void> {
  const last = await database
    .selectFrom('history_snapshots')
    .select((select) => select.fn.max<number | null>('sequence').as('sequence'))
    .where('property_id', '=', propertyId)
    .executeTakeFirst();
  const entries = lastSequence - (last?.sequence ?? 0);
  if (entries < MIN_SNAPSHOT_INTERVAL || entries < countItems(property)) return;
  const state = HistoryState.of(property).serialize();
  await database
    .insertInto('history_snapshots')
    .values({ property_id: propertyId, sequence: lastSequence, state: JSON.stringify(state) })
    .execute();
}

function countItems(property: PropertyConfiguration): number {
  return ITEM_TYPES.reduce((sum, type) => sum + itemsOf(property, type).length, 0);
}
