import type { ClientContext } from './client-context.ts';
import { newId } from './identity.ts';

/** The server remembers idempotency keys for 24 hours; a later retry could count twice. */
const MAX_RETRY_AGE_MS = 23 * 60 * 60 * 1000;
const MAX_BATCHES = 50;
const MAX_CHARACTERS = 300_000;

/** Never changed once queued, so that every attempt sends the same bytes under the same idempotency key. */
interface Batch {
  path: string;
  body: string;
  /** Time of the first attempt. */
  triedAt?: number;
}

export interface Delivery {
  /** Returns the idempotency key. */
  enqueue(path: string, payload: object): string;
  /** Sends one batch after the other, or all at once if urgent. Resolves when the requests in flight are done. */
  sendBatches(isUrgent?: boolean): Promise<unknown>;
}

/**
 * Delivers batches exactly once. A batch stays in storage until the server has acknowledged it, across failures,
 * pages and restarts. Any page may send any batch it finds there: the server counts an idempotency key once.
 */
export function createDelivery(context: ClientContext): Delivery {
  const { store, now, schedule, propertyQuery } = context;
  const prefix = `sy:${propertyQuery}:q:`;
  const sending = new Map<string, Promise<void>>();
  let pausedUntil = 0;

  /** Oldest first: keys start with a timestamp. */
  const batchKeys = () => store.listKeys(prefix).sort();

  const sendBatch = async (key: string, batch: Batch) => {
    batch.triedAt ||= now();
    store.set(key, batch);
    const { retryDelayMs, status } = await context.sendRequest(
      batch.path,
      batch.body,
      key.slice(prefix.length),
    );
    sending.delete(key);
    if (retryDelayMs) {
      // Back off if the server responded; a broken network may come back at any moment.
      if (status) pausedUntil = now() + retryDelayMs;
      // A timer that fires slightly early would find delivery still paused.
      schedule(sendBatches, retryDelayMs + 50);
    } else {
      store.set(key, undefined);
      void sendBatches();
    }
  };

  const sendBatches = (isUrgent?: boolean) => {
    for (const key of batchKeys()) {
      if (now() < pausedUntil || (sending.size && !isUrgent)) break;
      if (sending.has(key)) continue;
      const batch: Batch | undefined = store.get(key);
      // Not written by this version, or too old.
      if (!batch?.body || now() - (batch.triedAt || now()) > MAX_RETRY_AGE_MS) store.set(key, undefined);
      else sending.set(key, sendBatch(key, batch));
    }
    return Promise.all(sending.values());
  };

  const enqueue = (path: string, payload: object) => {
    const batch: Batch = { path, body: JSON.stringify(payload) };
    const id = `${now()}-${newId()}`;
    store.set(prefix + id, batch);
    let characters = 0;
    // Newest first, so that the oldest are dropped.
    for (const [index, key] of batchKeys().reverse().entries()) {
      characters += store.get(key)?.body?.length;
      if (index >= MAX_BATCHES || characters > MAX_CHARACTERS) store.set(key, undefined);
    }
    return id;
  };

  return { enqueue, sendBatches };
}
