import { type ApiClient, type ApiFailure, apiFailure } from '../api-client.ts';
import type { Settings } from '../options.ts';
import type { PublicKey } from '../split-tests/public-key.ts';
import { type Delivery, ENDPOINTS, isExpired } from './delivery.ts';

/** Longer than callers may want to wait: an attempt goes on when its call has returned. */
const MIN_ATTEMPT_TIMEOUT_MS = 10_000;

const EXPIRED = apiFailure('expired', 'Dropped events that the service has not acknowledged for a day.');

export interface SendFailure extends ApiFailure {
  /** Something else than the service responded: most likely `apiUrl` is wrong. */
  isForeign?: boolean;
}

interface SenderParts {
  settings: Settings;
  api: ApiClient;
  publicKey: PublicKey;
}

/** Sends requests of the delivery queue, one attempt at a time. */
export class DeliverySender {
  readonly #settings: Settings;
  readonly #api: ApiClient;
  readonly #publicKey: PublicKey;

  constructor({ settings, api, publicKey }: SenderParts) {
    this.#settings = settings;
    this.#api = api;
    this.#publicKey = publicKey;
  }

  /** Resolves to the failure, if any; one that is not transient is final. */
  async send(delivery: Delivery, maxTimeoutMs: number): Promise<SendFailure | undefined> {
    const { path, key: keyKind } = ENDPOINTS[delivery.kind];
    const timeoutMs = Math.min(Math.max(MIN_ATTEMPT_TIMEOUT_MS, this.#settings.timeoutMs), maxTimeoutMs);
    let key = this.#settings.secretApiKey;
    if (keyKind === 'public') {
      const found = await this.#publicKey.get(Math.min(timeoutMs, this.#settings.timeoutMs));
      if (!found.success) return found;
      key = found.key;
    }
    delivery.triedAt ??= Date.now();
    if (isExpired(delivery)) return EXPIRED;
    const result = await this.#api.call({
      method: 'POST',
      path,
      key,
      rawBody: delivery.body,
      headers: {
        'idempotency-key': delivery.idempotencyKey,
        ...(delivery.userAgent ? { 'user-agent': delivery.userAgent } : {}),
      },
      timeoutMs,
      retry: false,
    });
    if (!result.success) return this.#judge(result, keyKind, key);
    if ((result.data as { success?: unknown } | undefined)?.success === true) return undefined;
    const message = 'The server did not confirm that it is stored. Check `apiUrl`.';
    return { ...apiFailure('unexpected_response', message, { transient: true }), isForeign: true };
  }

  /** Only the service can refuse an event; a proxy in front of it may be misconfigured for a while. */
  #judge(failure: ApiFailure, keyKind: string, key: string): SendFailure {
    const { transient, error } = failure;
    if (transient) return failure;
    if (error.code === 'unexpected_response') return { ...failure, transient: true, isForeign: true };
    const hasNewKey = error.code === 'api_key_invalid' && keyKind === 'public' && this.#publicKey.forget(key);
    return hasNewKey ? { ...failure, transient: true } : failure;
  }
}
