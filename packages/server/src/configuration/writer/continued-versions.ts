import type { ItemChange } from '../changes/item-changes.ts';
import type { Database } from '../database/database.ts';
import type { EntityType } from '../property/entities.ts';

/** SQLite limits the number of parameters of a statement. */
const KEYS_PER_QUERY = 500;

/**
 * The changes with versions that continue those of deleted items with the same key. Otherwise, an `If-Match` with a
 * version of the deleted item could match the new one.
 */
export async function continuedVersions(
  database: Database,
  propertyId: string,
  changes: readonly ItemChange[],
): Promise<ItemChange[]> {
  const created = changes.filter(({ type, action }) => type !== 'property' && action === 'create');
  const deleted = new Map<EntityType, Map<string, number>>();
  for (const type of new Set(created.map((change) => change.type))) {
    const keys = created.filter((change) => change.type === type).map(({ key }) => key);
    deleted.set(type, await deletedVersions(database, propertyId, type, keys));
  }
  return changes.map((change) => {
    const last = change.action === 'create' ? deleted.get(change.type)?.get(change.key) : undefined;
    if (last === undefined || change.item === undefined || !('version' in change.item)) return change;
    return { ...change, item: { ...change.item, version: last + 1 }, version: last + 1 };
  });
}

async function deletedVersions(
  database: Database,
  propertyId: string,
  type: EntityType,
  keys: readonly string[],
): Promise<Map<string, number>> {
  const versions = new Map<string, number>();
  for (let start = 0; start < keys.length; start += KEYS_PER_QUERY) {
    const rows = await database
      .selectFrom('history')
      .select(({ fn }) => ['entity_key', fn.max('version').as('version')])
      .where('property_id', '=', propertyId)
      .where('entity_type', '=', type)
      .where('entity_key', 'in', keys.slice(start, start + KEYS_PER_QUERY))
      .where('action', '=', 'delete')
      .groupBy('entity_key')
      .execute();
    for (const { entity_key, version } of rows) versions.set(entity_key, Number(version));
  }
  return versions;
}
