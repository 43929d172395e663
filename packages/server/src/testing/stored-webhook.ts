import { newWebhookSecret } from '../features/webhooks/webhook-signature.ts';
import { type Database, touchProperty } from '../storage/database.ts';
import type { Webhook } from '../storage/property-configuration.ts';

/** Stores a webhook of the property `shop`, as the management API does. */
export async function storeWebhook(
  database: Database,
  fields: Partial<Webhook> & Pick<Webhook, 'url'>,
): Promise<Webhook> {
  const webhook: Webhook = {
    ...{ id: 'hook', events: ['feedback.submitted'], enabled: true, version: 1 },
    ...{ secret: newWebhookSecret(), createdAt: Date.now() },
    ...fields,
  };
  const { id, url, events, enabled, secret, version, createdAt } = webhook;
  await database
    .insertInto('webhooks')
    .values({
      ...{ property_id: 'shop', id, url, secret, version, position: 1, created_at: createdAt },
      events: JSON.stringify(events),
      enabled: enabled ? 1 : 0,
    })
    .execute();
  await touchProperty(database, 'shop');
  return webhook;
}

export async function changeWebhook(
  database: Database,
  id: string,
  { enabled, url }: { enabled?: boolean; url?: string },
): Promise<void> {
  await database
    .updateTable('webhooks')
    .set((update) => ({
      version: update('version', '+', 1),
      ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
      ...(url !== undefined && { url }),
    }))
    .where('id', '=', id)
    .execute();
  await touchProperty(database, 'shop');
}
