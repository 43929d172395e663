import { recordAudited } from '../../configuration/audit/audit-log.ts';
import { type Database, nextPosition } from '../../configuration/database/database.ts';
import type { ItemRows } from '../../configuration/definitions/collection-definition.ts';
import type { ApiKey } from '../../configuration/property/property-configuration.ts';

async function listKeys(database: Database, propertyId: string): Promise<ApiKey[]> {
  const rows = await database
    .selectFrom('api_keys')
    .selectAll()
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    propertyId: row.property_id,
    kind: row.kind,
    name: row.name,
    hash: row.hash,
    prefix: row.prefix,
    lastFour: row.last_four,
    publicKey: row.public_key,
    createdAt: row.created_at,
  }));
}

export const keyRows: ItemRows<ApiKey> = {
  list: listKeys,
  async insert(database, propertyId, key) {
    await database
      .insertInto('api_keys')
      .values({
        id: key.id,
        property_id: propertyId,
        kind: key.kind,
        ...toColumns(key),
        position: await nextPosition(database, 'api_keys', propertyId),
        created_at: key.createdAt,
      })
      .execute();
    await recordAudited(database, 'key', [key.id]);
  },
  async update(database, _propertyId, key) {
    await database.updateTable('api_keys').set(toColumns(key)).where('id', '=', key.id).execute();
    await recordAudited(database, 'key', [key.id]);
  },
  async remove(database, _propertyId, { id }) {
    await database.deleteFrom('api_keys').where('id', '=', id).execute();
    await recordAudited(database, 'key', [id]);
  },
};

function toColumns({ name, hash, prefix, lastFour, publicKey }: ApiKey) {
  return { name, hash, prefix, last_four: lastFour, public_key: publicKey };
}
