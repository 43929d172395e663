import { withoutCookielessIds } from '@switchyard/core/cleaning/cookieless';
import type { Database } from '../../configuration/database/database.ts';
import { inLockingTransaction } from '../../configuration/database/in-transaction.ts';
import type { PropertyConfiguration, Webhook } from '../../configuration/property/property-configuration.ts';
import type { FeedbackEntry, NewFeedbackQuery, Positions } from '../../events/store/event-store.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { countPending } from './delivery-store.ts';
import { insertDelivery, subscribedTo, type WebhookEvent } from './enqueue.ts';
import { listWebhooks } from './webhook-store.ts';

const EVENT = 'feedback.submitted';
const BATCH = 100;
/** Feedback waits in the event store while a webhook has this many pending deliveries. */
const MAX_PENDING = 1000;
const RETRY_MS = 30_000;

export interface FeedbackWatchOptions {
  database: Database;
  properties: () => readonly PropertyConfiguration[];
  eventStore: Pick<EventStoreClient, 'newFeedback' | 'positions'>;
  /** Increases whenever query results may have changed. */
  changes: () => number;
  /** Called after new deliveries. */
  onQueued: () => void;
}

/**
 * Queues feedback for webhooks by reading the event store from a stored position per webhook, in the transaction that
 * moves the position: each entry is queued exactly once, whenever the process ends.
 */
export class FeedbackWatch {
  readonly #options: FeedbackWatchOptions;
  /** `changes` before the last look at each webhook that had seen everything. */
  readonly #seen = new WeakMap<Webhook, number>();
  readonly #tidied = new WeakSet<PropertyConfiguration>();
  #retryAt = 0;

  constructor(options: FeedbackWatchOptions) {
    this.#options = options;
  }

  /** Cheap if there are no webhooks for feedback, or no new events. */
  async run(): Promise<void> {
    if (performance.now() < this.#retryAt) return;
    try {
      for (const property of this.#options.properties()) {
        if (property.webhooks.length > 0) await this.#look(property);
      }
    } catch (error) {
      // For example while the event store is damaged.
      this.#retryAt = performance.now() + RETRY_MS;
      throw error;
    }
  }

  async #look(property: PropertyConfiguration): Promise<void> {
    const subscribed = subscribedTo(property.webhooks, EVENT);
    if (!this.#tidied.has(property)) {
      await deleteOtherPositions(this.#options.database, property, subscribed);
      this.#tidied.add(property);
    }
    for (const webhook of subscribed) {
      const changes = this.#options.changes();
      if (this.#seen.get(webhook) === changes) continue;
      if (await this.#catchUp(property.id, webhook)) this.#seen.set(webhook, changes);
    }
  }

  /** False if there may be more. */
  async #catchUp(propertyId: string, webhook: Webhook): Promise<boolean> {
    const { database, eventStore } = this.#options;
    const pending = await countPending(database, { propertyId, webhookId: webhook.id }, MAX_PENDING);
    if (pending === MAX_PENDING) return false;
    const stored = await readPositions(database, propertyId, webhook.id);
    const query = await this.#queryFrom(propertyId, webhook, stored);
    const { entries, next } = await eventStore.newFeedback(query);
    if (stored === undefined || !isSame(stored, next)) {
      await saveFound(database, propertyId, webhook.id, entries, next);
      if (entries.length > 0) this.#options.onQueued();
    }
    return entries.length === 0;
  }

  async #queryFrom(
    propertyId: string,
    webhook: Webhook,
    stored: Positions | undefined,
  ): Promise<NewFeedbackQuery> {
    if (stored !== undefined) {
      const end = await this.#options.eventStore.positions();
      return { propertyId, after: withinStore(stored, end), limit: BATCH };
    }
    const from = await subscribedSince(this.#options.database, propertyId, webhook);
    return { propertyId, after: {}, from, limit: BATCH };
  }
}

/** A stored position beyond the end is from before the event store was restored from a backup. */
function withinStore(stored: Positions, end: Positions): Positions {
  const entries = Object.entries(stored).map(([source, seq]) => [source, Math.min(seq, end[source] ?? 0)]);
  return Object.fromEntries(entries);
}

function isSame(a: Positions, b: Positions): boolean {
  const sources = Object.keys({ ...a, ...b });
  return sources.every((source) => a[source] === b[source]);
}

/** A webhook that is disabled for some time does not get the feedback of that time later. */
async function deleteOtherPositions(
  database: Database,
  { id, webhooks }: PropertyConfiguration,
  subscribed: readonly Webhook[],
): Promise<void> {
  const others = webhooks.filter((webhook) => !subscribed.includes(webhook)).map((webhook) => webhook.id);
  if (others.length === 0) return;
  await database
    .deleteFrom('webhook_feedback_positions')
    .where('property_id', '=', id)
    .where('webhook_id', 'in', others)
    .execute();
}

/** When a webhook without a position subscribed: when it was created, or with the last change of the property. */
async function subscribedSince(
  database: Database,
  propertyId: string,
  { version, createdAt }: Webhook,
): Promise<number> {
  if (version === 1) return createdAt;
  const property = await database
    .selectFrom('properties')
    .select('updated_at')
    .where('id', '=', propertyId)
    .executeTakeFirst();
  return Math.max(createdAt, property?.updated_at ?? 0);
}

async function readPositions(
  database: Database,
  propertyId: string,
  webhookId: string,
): Promise<Positions | undefined> {
  const row = await database
    .selectFrom('webhook_feedback_positions')
    .select('positions')
    .where('property_id', '=', propertyId)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst();
  return row && (JSON.parse(row.positions) as Positions);
}

async function saveFound(
  database: Database,
  propertyId: string,
  webhookId: string,
  found: readonly FeedbackEntry[],
  next: Positions,
): Promise<void> {
  const positions = JSON.stringify(next);
  await inLockingTransaction(database, async (transaction) => {
    const webhooks = await listWebhooks(transaction, propertyId);
    // It may have been changed or deleted since the configuration was loaded.
    if (!subscribedTo(webhooks, EVENT).some(({ id }) => id === webhookId)) return;
    for (const entry of found) {
      await insertDelivery(transaction, propertyId, webhookId, eventOf(propertyId, entry));
    }
    await transaction
      .insertInto('webhook_feedback_positions')
      .values({ property_id: propertyId, webhook_id: webhookId, positions })
      .onConflict((conflict) => conflict.columns(['property_id', 'webhook_id']).doUpdateSet({ positions }))
      .execute();
  });
}

function eventOf(propertyId: string, { metadata, ...entry }: FeedbackEntry): WebhookEvent<typeof EVENT> {
  const feedback = { ...withoutCookielessIds(entry), metadata: JSON.parse(metadata ?? '{}') };
  return {
    type: EVENT,
    data: { propertyId, feedback },
    dedupeKey: `feedback:${entry.id}`,
    at: entry.createdAt,
    about: entry,
  };
}
