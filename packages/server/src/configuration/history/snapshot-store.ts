import type { Database } from '../database/database.ts';
import type { ConfigurationModel } from '../definitions/configuration-model.ts';
import type { PropertyConfiguration } from '../property/property-configuration.ts';
import { HistoryState, type SerializedState } from './history-state.ts';

/** A snapshot is stored after as many entries as there are items, but not after fewer than this. */
const MIN_SNAPSHOT_INTERVAL = 200;

/** Stores a snapshot if the last one is too many entries ago; called in the transaction of a change. */
export async function saveSnapshotIfDue(
  database: Database,
  model: ConfigurationModel,
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
  if (entries < MIN_SNAPSHOT_INTERVAL || entries < countItems(model, property)) return;
  const state = HistoryState.of(model, property).serialize();
  await database
    .insertInto('history_snapshots')
    .values({ property_id: propertyId, sequence: lastSequence, state: JSON.stringify(state) })
    .execute();
}

function countItems(model: ConfigurationModel, property: PropertyConfiguration): number {
  return model.types.reduce((sum, type) => sum + model.itemsOf(property, type).length, 0);
}

/** The positions in the history after which there is a snapshot. */
export async function snapshotSequences(database: Database, propertyId: string): Promise<number[]> {
  const rows = await database
    .selectFrom('history_snapshots')
    .select('sequence')
    .where('property_id', '=', propertyId)
    .orderBy('sequence')
    .execute();
  return rows.map(({ sequence }) => sequence);
}

export async function readSnapshot(
  database: Database,
  propertyId: string,
  sequence: number,
): Promise<SerializedState> {
  const { state } = await database
    .selectFrom('history_snapshots')
    .select('state')
    .where('property_id', '=', propertyId)
    .where('sequence', '=', sequence)
    .executeTakeFirstOrThrow();
  return JSON.parse(state);
}

export async function replaceSnapshot(
  database: Database,
  propertyId: string,
  sequence: number,
  state: SerializedState,
): Promise<void> {
  await database
    .updateTable('history_snapshots')
    .set({ state: JSON.stringify(state) })
    .where('property_id', '=', propertyId)
    .where('sequence', '=', sequence)
    .execute();
}
