import { type ApiClient, type ApiFailure, apiFailure } from '../api-client.ts';
import type { Settings } from '../options.ts';
import { isKeyRefusal } from '../reporter.ts';
import type { PublicKey } from '../split-tests/public-key.ts';
import { type Delivery, ENDPOINTS, isExpired } from './delivery.ts';

/** Longer than callers may want to wait: an attempt goes on when its call has returned. */
const MIN_ATTEMPT_TIMEOUT_MS = 10_000;

/** A refused key is not replaced within seconds. */
const REFUSED_KEY_RETRY_MS = 60_000;

const EXPIRED = apiFailure('expired', 'Dropped events that the service has not acknowledged for a day.');

export interface SendFailure extends ApiFailure {
  /** Most likely `apiUrl` or the key is wrong, so a call need not wait. */
  isMisconfigured?: boolean;
}

interface ServiceAccess {
  settings: Settings;
  api: ApiClient;
  publicKey: PublicKey;
}

/** Sends requests of the delivery queue, one attempt at a time. */
export class DeliverySender {
  readonly #settings: Settings;
  readonly #api: ApiClient;
  readonly #publicKey: PublicKey;

  constructor({ settings, api, publicKey }: ServiceAccess) {
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
      if (!found.success) return this.#judge(found);
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
    if (!result.success) {
      const { code } = result.error;
      const hasNewKey = code === 'api_key_invalid' && keyKind === 'public' && this.#publicKey.forget(key);
      return hasNewKey ? { ...result, transient: true } : this.#judge(result);
    }
    if ((result.data as { success?: unknown } | undefined)?.success === true) return undefined;
    const message = 'The server did not confirm that it is stored. Check `apiUrl`.';
    return { ...apiFailure('unexpected_response', message, { transient: true }), isMisconfigured: true };
  }

  /**
   * Only the service can refuse an event: a proxy in front of it may be misconfigured for a while. And it cannot judge
   * an event that comes with the wrong key.
   */
  #judge(failure: ApiFailure): SendFailure {
    const { transient, status, error } = failure;
    if (transient) return failure;
    if (error.code === 'unexpected_response') return { ...failure, transient: true, isMisconfigured: true };
    if (status === undefined || !isKeyRefusal(error)) return failure;
    return { ...failure, transient: true, isMisconfigured: true, retryAfterMs: REFUSED_KEY_RETRY_MS };
  }
}
