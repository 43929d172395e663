import { newId } from '../client/identity.ts';
import { failure, type Result } from '../client/result.ts';
import { retryDelay } from '../client/retry.ts';
import { type ApiClient, type ApiFailure, apiFailure, pause } from './api-client.ts';
import { holdExit } from './exit-hold.ts';
import type { Settings } from './options.ts';
import type { PublicApi, PublicKey } from './public-key.ts';
import type { Reporter } from './reporter.ts';

export interface Exposure {
  splitTestKey: string;
  variationKey: string;
  sessionId: string;
  timestamp: number;
  phase?: number;
  bot?: boolean;
  attributes?: Record<string, unknown>;
}

/** A request that is sent until it is answered, always with the same body and idempotency key. */
interface Parcel {
  path: string;
  body: Record<string, unknown>;
  headers: Record<string, string>;
  /** Events in it. */
  size: number;
  /** When it was sent first: the service may have stored it then, though its answer was lost. */
  triedAt?: number;
}

const BATCH_DELAY_MS = 1000;
const MAX_IN_BATCH = 100;
/** Events kept while the service is away; beyond that the oldest go. */
const MAX_WAITING = 10_000;
const PARALLEL = 4;
/** The service knows idempotency keys for 24 hours; what is sent again later could count twice. */
const MAX_MS = 23 * 60 * 60 * 1000;

const EXPIRED = apiFailure('expired', 'Dropped events that the service has not acknowledged for a day.');

/** Exposures and sessions on their way to the service: collected, sent in the background, sent again, bounded. */
export class DeliveryQueue {
  readonly #settings: Settings;
  readonly #api: ApiClient;
  readonly #publicKey: PublicKey;
  readonly #reporter: Reporter;
  #exposures: Exposure[] = [];
  #parcels: Parcel[] = [];
  #waiting = 0;
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
    this.#added();
    if (this.#exposures.length < MAX_IN_BATCH) return;
    this.#seal();
    if (this.#failures === 0) this.#send();
  }

  /** Ties a session to its visitor; the service reads the device from the user agent. */
  collect(sessionId: string, visitorId: string, userAgent: string | undefined): void {
    const headers: Record<string, string> = userAgent ? { 'user-agent': userAgent } : {};
    this.#pack({ path: '/v1/sessions/collect', body: { sessionId, visitorId }, headers, size: 1 });
    this.#added();
  }

  /** Sends everything that waits; a success once all of it is stored. */
  async flush(timeoutMs: number): Promise<Result> {
    const deadline = performance.now() + timeoutMs;
    let last: ApiFailure | undefined;
    for (let attempt = 1; this.#waiting > 0; attempt++) {
      const left = deadline - performance.now();
      if (left <= 0) break;
      last = await withinTime(this.#sendRound(left), left, last);
      if (this.#waiting === 0 || !last) continue;
      const delay = Math.max(last.retryAfterMs, retryDelay(attempt, 0, Math.random) / 5);
      if (performance.now() + delay >= deadline) break;
      await pause(delay, false);
    }
    if (this.#waiting === 0) return { success: true };
    const { code, message } = last?.error ?? { code: 'timeout', message: 'The time was over.' };
    return failure(code, `${this.#waiting} events still wait to be sent: ${message}`);
  }

  /** Nothing is sent after it. */
  close(): void {
    clearTimeout(this.#timer);
    this.#exposures = [];
    this.#parcels = [];
    this.#waiting = 0;
    this.#settle();
  }

  #added(): void {
    this.#waiting += 1;
    this.#release ??= holdExit((timeoutMs) => this.flush(timeoutMs));
    while (this.#waiting > MAX_WAITING) this.#dropOldest();
    this.#timer ??= setTimeout(() => this.#send(), BATCH_DELAY_MS).unref();
  }

  #dropOldest(): void {
    if (this.#parcels.length === 0) this.#seal();
    this.#waiting -= this.#parcels.shift()?.size ?? this.#waiting;
    this.#reporter.problem({
      code: 'queue_full',
      message: `More than ${MAX_WAITING} events wait to be sent: the oldest are dropped.`,
    });
  }

  #seal(): void {
    if (this.#exposures.length === 0) return;
    this.#pack({
      path: '/v1/split-testing/expose',
      body: { exposures: this.#exposures },
      headers: {},
      size: this.#exposures.length,
    });
    this.#exposures = [];
  }

  #pack({ path, body, headers, size }: Parcel): void {
    this.#parcels.push({
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
      if (this.#waiting === 0 || this.#timer) return;
      const delay = failed ? retryDelay(this.#failures, failed.retryAfterMs, Math.random) : BATCH_DELAY_MS;
      this.#timer = setTimeout(() => this.#send(), delay).unref();
    });
  }

  /** One round at a time; the failure that ended it early, if one did. */
  #sendRound(timeoutMs: number): Promise<ApiFailure | undefined> {
    this.#round ??= this.#deliverAll(timeoutMs).finally(() => {
      this.#round = undefined;
      this.#settle();
    });
    return this.#round;
  }

  async #deliverAll(timeoutMs: number): Promise<ApiFailure | undefined> {
    this.#seal();
    let failed: ApiFailure | undefined;
    const work = async () => {
      while (!failed) {
        const parcel = this.#parcels.shift();
        if (!parcel) return;
        const problem = await this.#deliver(parcel, timeoutMs);
        if (problem?.transient) {
          failed = problem;
          this.#parcels.unshift(parcel);
          return;
        }
        if (problem) this.#reporter.problem(problem.error);
        this.#waiting = Math.max(0, this.#waiting - parcel.size);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    this.#failures = failed ? this.#failures + 1 : 0;
    if (failed) this.#reporter.problem(failed.error);
    return failed;
  }

  async #deliver(parcel: Parcel, timeoutMs: number): Promise<ApiFailure | undefined> {
    const found = await this.#publicKey.get(timeoutMs);
    if (!found.success) return found;
    parcel.triedAt ??= Date.now();
    if (Date.now() - parcel.triedAt > MAX_MS) return EXPIRED;
    const { key } = found;
    const { path, body, headers } = parcel;
    const answer = await this.#api.call({
      method: 'POST',
      path,
      key,
      body,
      headers,
      timeoutMs,
      retry: false,
    });
    if (answer.success) return undefined;
    const renewed = answer.error.code === 'api_key_invalid' && this.#publicKey.forget(key);
    return renewed ? { ...answer, transient: true } : answer;
  }

  /** Signals are listened to only while something waits. */
  #settle(): void {
    if (this.#waiting > 0) return;
    this.#release?.();
    this.#release = undefined;
  }
}

/** What the promise brings, or `otherwise` when the time is over before. */
async function withinTime<T>(promise: Promise<T>, ms: number, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ms);
  });
  // Cleared, because a timer that is left running keeps the process alive.
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
