import type { ItemStore } from '../../storage/changes/configuration-writer.ts';
import { type Database, nextPosition } from '../../storage/database.ts';
import type { Webhook } from '../../storage/property-configuration.ts';

export async function listWebhooks(database: Database, propertyId: string): Promise<Webhook[]> {
  const rows = await database
    .selectFrom('webhooks')
    .selectAll()
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    ...(row.name === null ? {} : { name: row.name }),
    url: row.url,
    events: JSON.parse(row.events),
    enabled: row.enabled === 1,
    secret: row.secret,
    version: row.version,
    createdAt: row.created_at,
  }));
}

export const webhookItems: ItemStore<Webhook> = {
  async insert(database, propertyId, webhook) {
    await database
      .insertInto('webhooks')
      .values({
        property_id: propertyId,
        id: webhook.id,
        ...toColumns(webhook),
        position: await nextPosition(database, 'webhooks', propertyId),
        created_at: webhook.createdAt,
      })
      .execute();
  },
  async update(database, propertyId, webhook) {
    await database
      .updateTable('webhooks')
      .set(toColumns(webhook))
      .where('property_id', '=', propertyId)
      .where('id', '=', webhook.id)
      .execute();
  },
  async remove(database, propertyId, { id }) {
    await database
      .deleteFrom('webhooks')
      .where('property_id', '=', propertyId)
      .where('id', '=', id)
      .execute();
  },
};

function toColumns({ name, url, events, enabled, secret, version }: Webhook) {
  return {
    name: name ?? null,
    url,
    events: JSON.stringify(events),
    enabled: enabled ? 1 : 0,
    secret,
    version,
  };
}
