import { newId } from '../../client/identity.ts';
import { failure, type Result } from '../../client/result.ts';
import { retryDelay } from '../../client/retry.ts';
import { type ApiClient, type ApiFailure, apiFailure, pause } from '../api-client.ts';
import { holdExit } from '../exit-hold.ts';
import type { Settings } from '../options.ts';
import type { Reporter } from '../reporter.ts';
import type { PublicApi, PublicKey } from '../split-tests/public-key.ts';

export interface Exposure {
  splitTestKey: string;
  variationKey: string;
  sessionId: string;
  timestamp: number;
  phase?: number;
  bot?: boolean;
  attributes?: Record<string, unknown>;
}

/** A request that is sent until acknowledged, always with the same body and idempotency key. */
interface Batch {
  path: string;
  body: Record<string, unknown>;
  headers: Record<string, string>;
  /** Number of events. */
  size: number;
  /** Time of the first attempt, which the service may have stored even if its response was lost. */
  triedAt?: number;
}

const BATCH_DELAY_MS = 1000;
const MAX_BATCH_SIZE = 100;
/** Max number of pending events; beyond that, the oldest are dropped. */
const MAX_PENDING = 10_000;
const CONCURRENCY = 4;
/** The service remembers idempotency keys for 24 hours; a later retry could count twice. */
const MAX_RETRY_AGE_MS = 23 * 60 * 60 * 1000;

const EXPIRED = apiFailure('expired', 'Dropped events that the service has not acknowledged for a day.');

/** Batches exposures and sessions, and sends them in the background with retries. Bounded. */
export class DeliveryQueue {
  readonly #settings: Settings;
  readonly #api: ApiClient;
  readonly #publicKey: PublicKey;
  readonly #reporter: Reporter;
  #exposures: Exposure[] = [];
  #batches: Batch[] = [];
  #pending = 0;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<ApiFailure | undefined> | undefined;
  #failures = 0;
  #release: (() => void) | undefined;

  constructor({ settings, api, publicKey, reporter }: PublicApi) {
    this.#settings = settings;
    this.#api = api;
    this.#publicKey = publicKey;
    this.#reporter = reporter;
  }

  expose(exposure: Exposure): void {
    this.#exposures.push(exposure);
    this.#onAdded();
    if (this.#exposures.length < MAX_BATCH_SIZE) return;
    this.#batchExposures();
    if (this.#failures === 0) this.#send();
  }

  /** Links a session to its visitor; the service derives the device from the user agent. */
  collect(sessionId: string, visitorId: string, userAgent: string | undefined): void {
    const headers: Record<string, string> = userAgent ? { 'user-agent': userAgent } : {};
    this.#enqueue({ path: '/v1/sessions/collect', body: { sessionId, visitorId }, headers, size: 1 });
    this.#onAdded();
  }

  /** Sends all pending events. Success means that all of them are stored. */
  async flush(timeoutMs: number): Promise<Result> {
    const deadline = performance.now() + timeoutMs;
    let last: ApiFailure | undefined;
    for (let attempt = 1; this.#pending > 0; attempt++) {
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) break;
      last = await withTimeout(this.#sendRound(remainingMs), remainingMs, last);
      if (this.#pending === 0 || !last) continue;
      const delay = Math.max(last.retryAfterMs, retryDelay(attempt, 0, Math.random) / 5);
      if (performance.now() + delay >= deadline) break;
      await pause(delay, false);
    }
    if (this.#pending === 0) return { success: true };
    const { code, message } = last?.error ?? { code: 'timeout', message: 'Flushing timed out.' };
    return failure(code, `${this.#pending} events could not be sent yet: ${message}`);
  }

  /** Drops pending events; nothing is sent afterwards. */
  close(): void {
    clearTimeout(this.#timer);
    this.#exposures = [];
    this.#batches = [];
    this.#pending = 0;
    this.#releaseIfEmpty();
  }

  #onAdded(): void {
    this.#pending += 1;
    this.#release ??= holdExit((timeoutMs) => this.flush(timeoutMs));
    while (this.#pending > MAX_PENDING) this.#dropOldest();
    this.#timer ??= setTimeout(() => this.#send(), BATCH_DELAY_MS).unref();
  }

  #dropOldest(): void {
    if (this.#batches.length === 0) this.#batchExposures();
    this.#pending -= this.#batches.shift()?.size ?? this.#pending;
    this.#reporter.problem({
      code: 'queue_full',
      message: `More than ${MAX_PENDING} events are pending; dropping the oldest.`,
    });
  }

  #batchExposures(): void {
    if (this.#exposures.length === 0) return;
    this.#enqueue({
      path: '/v1/split-testing/expose',
      body: { exposures: this.#exposures },
      headers: {},
      size: this.#exposures.length,
    });
    this.#exposures = [];
  }

  #enqueue({ path, body, headers, size }: Batch): void {
    this.#batches.push({
      path,
      body: { propertyId: this.#settings.propertyId, ...body },
      headers: { 'idempotency-key': newId(), ...headers },
      size,
    });
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#sendRound(this.#settings.timeoutMs).then((failed) => {
      if (this.#pending === 0 || this.#timer) return;
      const delay = failed ? retryDelay(this.#failures, failed.retryAfterMs, Math.random) : BATCH_DELAY_MS;
      this.#timer = setTimeout(() => this.#send(), delay).unref();
    });
  }

  /** One round at a time; resolves to the failure that ended it early, if any. */
  #sendRound(timeoutMs: number): Promise<ApiFailure | undefined> {
    this.#round ??= this.#deliverAll(timeoutMs).finally(() => {
      this.#round = undefined;
      this.#releaseIfEmpty();
    });
    return this.#round;
  }

  async #deliverAll(timeoutMs: number): Promise<ApiFailure | undefined> {
    this.#batchExposures();
    let failed: ApiFailure | undefined;
    const worker = async () => {
      while (!failed) {
        const batch = this.#batches.shift();
        if (!batch) return;
        const problem = await this.#deliver(batch, timeoutMs);
        if (problem?.transient) {
          failed = problem;
          this.#batches.unshift(batch);
          return;
        }
        if (problem) this.#reporter.problem(problem.error);
        this.#pending = Math.max(0, this.#pending - batch.size);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    this.#failures = failed ? this.#failures + 1 : 0;
    if (failed) this.#reporter.problem(failed.error);
    return failed;
  }

  async #deliver(batch: Batch, timeoutMs: number): Promise<ApiFailure | undefined> {
    const found = await this.#publicKey.get(timeoutMs);
    if (!found.success) return found;
    batch.triedAt ??= Date.now();
    if (Date.now() - batch.triedAt > MAX_RETRY_AGE_MS) return EXPIRED;
    const { key } = found;
    const { path, body, headers } = batch;
    const result = await this.#api.call({
      method: 'POST',
      path,
      key,
      body,
      headers,
      timeoutMs,
      retry: false,
    });
    if (result.success) return undefined;
    const canRetry = result.error.code === 'api_key_invalid' && this.#publicKey.forget(key);
    return canRetry ? { ...result, transient: true } : result;
  }

  /** Exit signals are handled only while events are pending. */
  #releaseIfEmpty(): void {
    if (this.#pending > 0) return;
    this.#release?.();
    this.#release = undefined;
  }
}

/** The result of the promise, or the fallback after the timeout. */
async function withTimeout<T>(promise: Promise<T>, ms: number, fallback: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(fallback), ms);
  });
  // A running timer would keep the process alive.
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
