import type { DeliveryState } from '@switchyard/core/api/webhooks';
import type { ExpressionBuilder, Selectable } from 'kysely';
import type { Database } from '../../configuration/database/database.ts';
import type { DatabaseTables } from '../../configuration/database/tables/database-tables.ts';
import { MAX_DELAY_MS } from './retry-schedule.ts';
import type { WebhookResponse } from './send-webhook.ts';

export type StoredDelivery = Selectable<DatabaseTables['webhook_deliveries']>;

export interface WebhookRef {
  propertyId: string;
  webhookId: string;
}

/** A time that far ahead was written before the clock was set back. */
const isDue = (now: number) => (eb: ExpressionBuilder<DatabaseTables, 'webhook_deliveries'>) =>
  eb.or([eb('next_attempt_at', '<=', now), eb('next_attempt_at', '>', now + MAX_DELAY_MS)]);

/** Webhooks with deliveries that are due; those that have waited longest come first. */
export async function dueWebhooks(database: Database, now: number, limit: number): Promise<WebhookRef[]> {
  return database
    .selectFrom('webhook_deliveries')
    .select(['property_id as propertyId', 'webhook_id as webhookId'])
    .where('state', '=', 'pending')
    .where(isDue(now))
    .groupBy(['property_id', 'webhook_id'])
    .orderBy(({ fn }) => fn.min('next_attempt_at'))
    .limit(limit)
    .execute();
}

/** The delivery of a webhook that is due next; in order of creation among those that were never tried. */
export function nextDelivery(
  database: Database,
  { propertyId, webhookId }: WebhookRef,
  now: number,
): Promise<StoredDelivery | undefined> {
  return database
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('property_id', '=', propertyId)
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .where(isDue(now))
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
}

/** Records an attempt; without a next attempt, the delivery is finished. */
export async function recordAttempt(
  database: Database,
  { id, queued_at }: Pick<StoredDelivery, 'id' | 'queued_at'>,
  { status, error, text }: WebhookResponse,
  { at, nextAttemptAt }: { at: number; nextAttemptAt: number | null },
): Promise<void> {
  const finished: DeliveryState = error === null ? 'delivered' : 'failed';
  await database
    .updateTable('webhook_deliveries')
    .set((update) => ({
      state: nextAttemptAt === null ? finished : 'pending',
      attempts: update('attempts', '+', 1),
      next_attempt_at: nextAttemptAt,
      last_attempt_at: at,
      last_status: status,
      last_error: error,
      last_response: text,
    }))
    .where('id', '=', id)
    // Queued again on request during the attempt: that request must be followed.
    .where('queued_at', '=', queued_at)
    .execute();
}

/** Gives up deliveries that were queued before a time. */
export async function failOldDeliveries(database: Database, queuedBefore: number): Promise<void> {
  await database
    .updateTable('webhook_deliveries')
    .set({ state: 'failed', last_error: 'expired', next_attempt_at: null })
    .where('state', '=', 'pending')
    .where('queued_at', '<', queuedBefore)
    .execute();
}

/** Sends a delivery again, immediately and with all its attempts; false if it does not exist. */
export async function requeueDelivery(
  database: Database,
  { propertyId, webhookId }: WebhookRef,
  id: string,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('webhook_deliveries')
    .set({ state: 'pending', attempts: 0, queued_at: now, next_attempt_at: now })
    .where('id', '=', id)
    .where('property_id', '=', propertyId)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function findDelivery(
  database: Database,
  { propertyId, webhookId }: WebhookRef,
  id: string,
): Promise<StoredDelivery | undefined> {
  return database
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', '=', id)
    .where('property_id', '=', propertyId)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst();
}

/** Everything but the texts, which are only shown for a single delivery. */
const SUMMARY = [
  ...(['id', 'type', 'state', 'position', 'attempts', 'created_at', 'next_attempt_at'] as const),
  ...(['last_attempt_at', 'last_status', 'last_error'] as const),
] as const;

export type DeliverySummary = Pick<StoredDelivery, (typeof SUMMARY)[number]>;

/** Newest first, strictly before a position. */
export function listDeliveries(
  database: Database,
  { propertyId, webhookId }: WebhookRef,
  { limit, before, state }: { limit: number; before?: number | undefined; state?: DeliveryState | undefined },
): Promise<DeliverySummary[]> {
  let query = database
    .selectFrom('webhook_deliveries')
    .select(SUMMARY)
    .where('property_id', '=', propertyId)
    .where('webhook_id', '=', webhookId);
  if (before !== undefined) query = query.where('position', '<', before);
  if (state !== undefined) query = query.where('state', '=', state);
  return query.orderBy('position', 'desc').limit(limit).execute();
}

/** Number of pending deliveries, counted up to a limit. */
export async function countPending(
  database: Database,
  { propertyId, webhookId }: WebhookRef,
  limit: number,
): Promise<number> {
  const rows = await database
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('property_id', '=', propertyId)
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .limit(limit)
    .execute();
  return rows.length;
}
