import type { Database } from '../database/database.ts';
import type { ConfigurationModel } from '../definitions/configuration-model.ts';
import type { Document, EntityType } from '../property/entities.ts';
import { HistoryState, type PastConfiguration } from './history-state.ts';
import { rowsAfter, toEntry } from './history-store.ts';
import { sequenceAt } from './sequence-at.ts';
import { readSnapshot } from './snapshot-store.ts';

/** Small, because an entry can be as large as a configuration. */
const PAGE_ROWS = 100;

/**
 * The configuration of a property as it was at a moment, with the segments, prerequisites and definitions of that
 * time; undefined if the property did not exist, or if the history begins later.
 */
export async function configurationAt(
  database: Database,
  model: ConfigurationModel,
  propertyId: string,
  moment: number,
): Promise<PastConfiguration | undefined> {
  const state = await stateAfter(database, model, propertyId, await sequenceAt(database, propertyId, moment));
  return state.configuration();
}

/** The state of an item at one of its versions; undefined if it is not known, or if the item was deleted since. */
export async function documentAtVersion(
  database: Database,
  model: ConfigurationModel,
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
  const sequence = (await query.executeTakeFirst())?.sequence ?? undefined;
  if (sequence === undefined) return undefined;
  if (await isDeletedSince(database, propertyId, { type, key }, sequence)) return undefined;
  const state = await stateAfter(database, model, propertyId, sequence);
  if (type === 'property') return state.property;
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

/** The state after an entry, by its position: applies entries from the nearest snapshot on. */
export async function stateAfter(
  database: Database,
  model: ConfigurationModel,
  propertyId: string,
  sequence: number,
): Promise<HistoryState> {
  const snapshot = await latestSnapshot(database, model, propertyId, sequence);
  const state = snapshot?.state ?? new HistoryState(model);
  let position = snapshot?.sequence ?? 0;
  for (;;) {
    const limit = Math.min(PAGE_ROWS, sequence - position);
    const rows = limit > 0 ? await rowsAfter(database, propertyId, position, limit) : [];
    for (const row of rows) {
      const entry = toEntry(row);
      state.apply(entry);
      position = entry.sequence;
    }
    if (rows.length < PAGE_ROWS) return state;
  }
}

async function latestSnapshot(
  database: Database,
  model: ConfigurationModel,
  propertyId: string,
  sequence: number,
): Promise<{ state: HistoryState; sequence: number } | undefined> {
  const found = await database
    .selectFrom('history_snapshots')
    .select('sequence')
    .where('property_id', '=', propertyId)
    .where('sequence', '<=', sequence)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const state = await readSnapshot(database, propertyId, found.sequence);
  return { state: HistoryState.parse(model, state), sequence: found.sequence };
}
