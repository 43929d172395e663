import type { Logger } from 'pino';
import type { Database } from '../../configuration/database/database.ts';
import type { PropertyConfiguration, Webhook } from '../../configuration/property/property-configuration.ts';
import {
  dueWebhooks,
  nextDelivery,
  recordAttempt,
  type StoredDelivery,
  type WebhookRef,
} from './delivery-store.ts';
import { isPublicAddress } from './private-address.ts';
import { type ResolveHost, resolveHost } from './resolve-host.ts';
import { retryDelay } from './retry-schedule.ts';
import { sendWebhook, type WebhookResponse } from './send-webhook.ts';
import { signatureHeaders } from './webhook-signature.ts';

const MAX_PARALLEL = 4;
/** Receivers that fail or are slow share these, so that the others always find a free place. */
const MAX_PARALLEL_TROUBLED = 2;
const TIMEOUT_MS = 10_000;
const SLOW_MS = 2000;
/** Time without requests to a receiver that failed; doubles with each failure in a row. */
const PAUSE_MS = { first: 5000, max: 5 * 60 * 1000 };
const MAX_WEBHOOKS = 10_000;

export interface DeliveryJobOptions {
  database: Database;
  property: (id: string) => PropertyConfiguration | undefined;
  allowPrivate: boolean;
  log: Logger;
  resolve?: ResolveHost;
  timeoutMs?: number;
  /** Pause after the first failure. */
  firstPauseMs?: number;
  /** From 0 to 1. */
  random?: () => number;
  /** The wall clock. */
  now?: () => number;
}

/** A receiver that failed, or took long. */
interface Trouble {
  /** In a row. */
  failures: number;
  /** No request before this time, by the monotonic clock. */
  until: number;
}

/**
 * Sends queued deliveries: several webhooks in parallel, one delivery of each at a time. An attempt is recorded after
 * it was made, so one that is interrupted is repeated with the same `webhook-id`.
 */
export class DeliveryJob {
  readonly #options: DeliveryJobOptions;
  readonly #running = new Map<string, { isTroubled: boolean; ended: Promise<void> }>();
  readonly #troubles = new Map<string, Trouble>();
  readonly #stopping = new AbortController();
  #filling: Promise<void> | undefined;
  #fillAgain = false;

  constructor(options: DeliveryJobOptions) {
    this.#options = options;
  }

  /** Starts what is due, and does not wait until it is sent. */
  async run(): Promise<void> {
    // Nothing may use the database after it was closed.
    if (this.#stopping.signal.aborted) return;
    this.#fillAgain = true;
    this.#filling ??= this.#fillRepeatedly().finally(() => {
      this.#filling = undefined;
    });
    await this.#filling;
  }

  /** Sends new deliveries without waiting for the next run; those of a webhook that has failed, too. */
  wake(webhook?: WebhookRef): void {
    if (webhook !== undefined) this.#troubles.delete(keyOf(webhook));
    this.run().catch((err) => this.#options.log.error({ err }, 'webhook deliveries failed; retrying'));
  }

  /** Cancels running attempts; they are repeated after the next start. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#filling?.catch(() => undefined);
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  /** A run that is requested during another one follows it, because that may have missed new deliveries. */
  async #fillRepeatedly(): Promise<void> {
    while (this.#fillAgain) {
      this.#fillAgain = false;
      await this.#fill();
    }
  }

  async #fill(): Promise<void> {
    const { database } = this.#options;
    for (const ref of await dueWebhooks(database, this.#now(), MAX_WEBHOOKS)) {
      if (this.#running.size >= MAX_PARALLEL || this.#stopping.signal.aborted) return;
      const webhook = this.#availableWebhook(ref);
      const delivery = webhook && (await nextDelivery(database, ref, this.#now()));
      if (webhook && delivery && !this.#stopping.signal.aborted) this.#start(ref, webhook, delivery);
    }
  }

  /** Undefined if it is disabled, busy, paused after a failure, or if there is no place for it. */
  #availableWebhook(ref: WebhookRef): Webhook | undefined {
    const key = keyOf(ref);
    const trouble = this.#troubles.get(key);
    if (this.#running.has(key) || (trouble && performance.now() < trouble.until)) return undefined;
    const troubled = [...this.#running.values()].filter(({ isTroubled }) => isTroubled).length;
    if (trouble && troubled >= MAX_PARALLEL_TROUBLED) return undefined;
    const webhook = this.#options.property(ref.propertyId)?.webhooks.find(({ id }) => id === ref.webhookId);
    return webhook?.enabled ? webhook : undefined;
  }

  #start(ref: WebhookRef, webhook: Webhook, delivery: StoredDelivery): void {
    const key = keyOf(ref);
    const ended = this.#attempt(key, webhook, delivery)
      .catch((err) => {
        // Not recorded: without a pause it would be repeated at once.
        this.#pause(key, 0);
        this.#options.log.error({ err }, 'failed to record a webhook delivery');
      })
      .then(() => {
        this.#running.delete(key);
        if (!this.#stopping.signal.aborted) this.wake();
      });
    this.#running.set(key, { isTroubled: this.#troubles.has(key), ended });
  }

  async #attempt(key: string, webhook: Webhook, delivery: StoredDelivery): Promise<void> {
    const startedAt = performance.now();
    const at = this.#now();
    const response = await this.#send(webhook, delivery, at);
    if (response.error !== null && this.#stopping.signal.aborted) return;
    const delay = this.#delayAfter(response, delivery);
    if (response.error !== null) this.#pause(key, response.retryAfterMs ?? 0);
    else if (performance.now() - startedAt > SLOW_MS) this.#troubles.set(key, { failures: 0, until: 0 });
    else this.#troubles.delete(key);
    const nextAttemptAt = delay === undefined ? null : this.#now() + delay;
    await recordAttempt(this.#options.database, delivery, response, { at, nextAttemptAt });
    if (response.error !== null && delay === undefined) this.#logFailure(delivery, response);
  }

  #send({ url, secret }: Webhook, { id, body }: StoredDelivery, at: number): Promise<WebhookResponse> {
    const { resolve = resolveHost, allowPrivate, timeoutMs = TIMEOUT_MS } = this.#options;
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Switchyard-Webhooks',
      ...signatureHeaders(secret, id, body, at),
    };
    const isAllowed = allowPrivate ? () => true : isPublicAddress;
    const { signal } = this.#stopping;
    return sendWebhook(url, headers, body, { resolve, isAllowed, timeoutMs, signal });
  }

  /** Undefined if there is no further attempt. */
  #delayAfter({ error, retryAfterMs }: WebhookResponse, { attempts }: StoredDelivery): number | undefined {
    if (error === null || error === 'gone') return undefined;
    return retryDelay(attempts + 1, retryAfterMs ?? 0, this.#options.random ?? Math.random);
  }

  #pause(key: string, requestedMs: number): void {
    const failures = (this.#troubles.get(key)?.failures ?? 0) + 1;
    const first = this.#options.firstPauseMs ?? PAUSE_MS.first;
    const pause = Math.min(PAUSE_MS.max, Math.max(requestedMs, first * 2 ** (failures - 1)));
    this.#troubles.set(key, { failures, until: performance.now() + pause });
  }

  #logFailure({ id, property_id, webhook_id }: StoredDelivery, { error, status }: WebhookResponse): void {
    this.#options.log.warn(
      { propertyId: property_id, webhookId: webhook_id, deliveryId: id, error, status },
      'webhook delivery given up',
    );
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

const keyOf = ({ propertyId, webhookId }: WebhookRef) => JSON.stringify([propertyId, webhookId]);
