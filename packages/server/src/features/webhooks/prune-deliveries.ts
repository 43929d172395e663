import { DAY_MS } from '@switchyard/core/time';
import type { Database } from '../../configuration/database/database.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { failOldDeliveries, type WebhookRef } from './delivery-store.ts';
import { MAX_PENDING_MS } from './retry-schedule.ts';

const KEPT_DAYS = 30;
const MAX_KEPT = 1000;
/** Rows per statement, so that other statements do not wait long. */
const STEP = 200;

/** Gives up deliveries that have been pending for too long, and deletes old finished ones. */
export async function pruneDeliveries(
  database: Database,
  properties: readonly PropertyConfiguration[],
  now: number,
): Promise<void> {
  await failOldDeliveries(database, now - MAX_PENDING_MS);
  for (const { id: propertyId, webhooks, retentionDays } of properties) {
    // Deliveries contain feedback, which is kept no longer than the property allows.
    const before = now - Math.min(KEPT_DAYS, retentionDays ?? KEPT_DAYS) * DAY_MS;
    for (const { id: webhookId } of webhooks) {
      const webhook = { propertyId, webhookId };
      const oldest = await oldestKept(database, webhook);
      while ((await deleteStep(database, webhook, before, oldest)) === STEP);
    }
  }
}

/** Position of the oldest finished delivery that is kept; 0 if there are few. */
async function oldestKept(database: Database, webhook: WebhookRef): Promise<number> {
  const row = await finished(database, webhook)
    .select('position')
    .orderBy('position', 'desc')
    .limit(1)
    .offset(MAX_KEPT - 1)
    .executeTakeFirst();
  return row?.position ?? 0;
}

async function deleteStep(
  database: Database,
  webhook: WebhookRef,
  queuedBefore: number,
  oldest: number,
): Promise<number> {
  const old = finished(database, webhook)
    .select('id')
    .where((eb) => eb.or([eb('queued_at', '<', queuedBefore), eb('position', '<', oldest)]))
    .limit(STEP);
  const { numDeletedRows } = await database
    .deleteFrom('webhook_deliveries')
    .where('id', 'in', old)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

const finished = (database: Database, { propertyId, webhookId }: WebhookRef) =>
  database
    .selectFrom('webhook_deliveries')
    .where('property_id', '=', propertyId)
    .where('webhook_id', '=', webhookId)
    .where('state', '!=', 'pending');
