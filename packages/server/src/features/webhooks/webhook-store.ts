import { keyedItemStore } from '../../storage/changes/keyed-item-store.ts';
import type { Database } from '../../storage/database.ts';
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

export const webhookItems = keyedItemStore('webhooks', toColumns);

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
