import type { WebhookContents, WebhookPayload } from '@switchyard/core/api/webhook-payloads';
import { TEST_EVENT } from '@switchyard/core/api/webhooks';
import { type Database, newId } from '../../configuration/database/database.ts';
import type { Webhook } from '../../configuration/property/property-configuration.ts';
import type { SessionIdentity } from '../../events/store/session-summary.ts';

export type WebhookEvent<T extends keyof WebhookContents = keyof WebhookContents> = {
  [Type in T]: {
    type: Type;
    data: WebhookContents[Type];
    /** Of events with the same key, a webhook gets one. */
    dedupeKey: string;
    /** When it happened. */
    at: number;
    /** Whom the event is about. */
    about?: SessionIdentity & { sessionId: string | null };
  };
}[T];

/** The webhooks that an event is sent to. */
export function subscribedTo(webhooks: readonly Webhook[], type: keyof WebhookContents): Webhook[] {
  return webhooks.filter(({ enabled, events }) => enabled && (type === TEST_EVENT || events.includes(type)));
}

/**
 * Queues an event for each enabled webhook that is subscribed to it; returns the number of new deliveries. In the
 * transaction of the change that caused the event, it is sent if and only if the change was made.
 */
export async function enqueue(
  database: Database,
  propertyId: string,
  webhooks: readonly Webhook[],
  event: WebhookEvent,
): Promise<number> {
  let queued = 0;
  for (const { id } of subscribedTo(webhooks, event.type)) {
    if ((await insertDelivery(database, propertyId, id, event)) !== undefined) queued++;
  }
  return queued;
}

/** In the caller's transaction. Returns the id of the delivery; undefined if the event has been queued before. */
export async function insertDelivery(
  database: Database,
  propertyId: string,
  webhookId: string,
  { type, data, dedupeKey, at, about }: WebhookEvent,
): Promise<string | undefined> {
  const id = newId('msg');
  const payload = { type, timestamp: new Date(at).toISOString(), data } as WebhookPayload;
  const now = Date.now();
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('webhook_deliveries')
    .values({
      id,
      property_id: propertyId,
      webhook_id: webhookId,
      type,
      body: JSON.stringify(payload),
      position: await nextPosition(database, propertyId, webhookId),
      dedupe_key: dedupeKey,
      state: 'pending',
      attempts: 0,
      created_at: now,
      queued_at: now,
      next_attempt_at: now,
      session_id: about?.sessionId ?? null,
      visitor_id: about?.visitorId ?? null,
      user_id: about?.userId ?? null,
    })
    .onConflict((conflict) => conflict.columns(['property_id', 'webhook_id', 'dedupe_key']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 0n ? undefined : id;
}

/** Locks the webhook, so that no two deliveries get the same position. */
async function nextPosition(database: Database, propertyId: string, webhookId: string): Promise<number> {
  await database
    .selectFrom('webhooks')
    .select('id')
    .where('property_id', '=', propertyId)
    .where('id', '=', webhookId)
    .forNoKeyUpdate()
    .execute();
  const { last } = await database
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => fn.max<number | null>('position').as('last'))
    .where('property_id', '=', propertyId)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirstOrThrow();
  return Number(last ?? 0) + 1;
}
