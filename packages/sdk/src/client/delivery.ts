import type { Host } from './host.ts';
import { newId } from './identity.ts';

/** The server knows the key of a batch for 24 hours; later, a second delivery would count twice. */
const RETRY_WITHIN_MS = 23 * 60 * 60 * 1000;
const MAX_BATCHES = 50;
const MAX_CHARACTERS = 300_000;
/** Browsers refuse requests of more than 64 KiB that outlive their page, and a character takes up to 3 bytes. */
const MAX_KEEPALIVE_CHARACTERS = 20_000;

/** Frozen when it is formed, so that every attempt sends the same bytes under the same key. */
interface Batch {
  path: string;
  body: string;
  /** Time of the first attempt; 0 before it. */
  triedAt: number;
}

/** After how long to try again (0: not at all), the status (0: no answer), and the body if there is one. */
export type Answer = readonly [retryInMs: number, status: number, body?: unknown];
export type Ask = (path: string, init?: RequestInit) => Promise<Answer>;

export type Delivery = readonly [
  add: (path: string, payload: object) => void,
  /** Sends one batch after the other; when it is urgent, all at once. */
  send: (isUrgent?: boolean) => void,
  /** Sends all at once and resolves when each was answered or has failed. */
  flush: () => Promise<unknown>,
];

/**
 * Delivers batches once. They are in storage until the server has answered, over failures, pages and restarts.
 * Whichever page finds one there sends it: the server counts a key once, and what is answered is not there.
 */
export function createDelivery({ store, now, later }: Host, prefix: string, ask: Ask): Delivery {
  const sending = new Map<string, Promise<void>>();
  let waitUntil = 0;

  /** Oldest first: they begin with their time. */
  const keys = () => store.keys(prefix).sort();

  const deliver = async (key: string, batch: Batch) => {
    const { path, body } = batch;
    batch.triedAt ||= now();
    store.set(key, batch);
    const [retryInMs, status] = await ask(path, {
      method: 'POST',
      body,
      keepalive: body.length <= MAX_KEEPALIVE_CHARACTERS,
      headers: { 'content-type': 'application/json', 'idempotency-key': key.slice(prefix.length) },
    });
    sending.delete(key);
    if (retryInMs) {
      // A server that answers is given its time; a network may be back any moment.
      if (status) waitUntil = now() + retryInMs;
      // Timers may be a little early, and then nothing would be sent.
      later(send, retryInMs + 50);
    } else {
      store.set(key, undefined);
      send();
    }
  };

  const send = (isUrgent?: boolean) => {
    if (now() < waitUntil) return;
    for (const key of keys()) {
      if (sending.size && !isUrgent) return;
      if (sending.has(key)) continue;
      const batch: Batch | undefined = store.get(key);
      // Nothing that this version has written, or too old.
      if (!batch?.body || now() - (batch.triedAt || now()) > RETRY_WITHIN_MS) store.set(key, undefined);
      else sending.set(key, deliver(key, batch));
    }
  };

  const add = (path: string, payload: object) => {
    const added: Batch = { path, body: JSON.stringify(payload), triedAt: 0 };
    store.set(`${prefix}${now()}-${newId()}`, added);
    let characters = 0;
    // From the newest on, so that it is the oldest that have to go.
    for (const [at, key] of keys().reverse().entries()) {
      characters += store.get(key)?.body?.length;
      if (at >= MAX_BATCHES || characters > MAX_CHARACTERS) store.set(key, undefined);
    }
  };

  const flush = () => {
    send(true);
    return Promise.all(sending.values());
  };

  return [add, send, flush];
}
