import type { Database } from '../../../server/src/configuration/database/database.ts';
import { OPERATOR } from '../../../server/src/configuration/property/actor.ts';
import type { Webhook } from '../../../server/src/configuration/property/property-configuration.ts';
import { ConfigurationWriter } from '../../../server/src/configuration/writer/configuration-writer.ts';
import { newWebhookSecret } from '../../../server/src/features/webhooks/webhook-signature.ts';
import { configurationModel } from '../../../server/src/start/definitions.ts';

const BY = { actor: OPERATOR, via: 'cli' as const };

/** Without notifications: tests count the deliveries. */
const writerOf = (database: Database) => new ConfigurationWriter(database, configurationModel);

/** Stores a webhook of the property `shop`, as the management API does. */
export async function storeWebhook(
  database: Database,
  fields: Partial<Webhook> & Pick<Webhook, 'url'>,
): Promise<Webhook> {
  const webhook: Webhook = {
    id: 'hook',
    events: ['feedback.submitted'],
    enabled: true,
    version: 1,
    secret: newWebhookSecret(),
    createdAt: Date.now(),
    ...fields,
  };
  await writerOf(database).changeProperty('shop', BY, ({ current }) => {
    return current && { ...current, webhooks: [...current.webhooks, webhook] };
  });
  return webhook;
}

export async function changeWebhook(
  database: Database,
  id: string,
  change: { enabled?: boolean; url?: string },
): Promise<void> {
  await writerOf(database).changeProperty('shop', BY, ({ current }) => {
    if (current === undefined) return undefined;
    const webhooks = current.webhooks.map((each) => (each.id === id ? { ...each, ...change } : each));
    return { ...current, webhooks };
  });
}
