import { retryDelay } from '../../client/retry.ts';
import type { Delivery } from './delivery.ts';
import type { SendFailure } from './delivery-sender.ts';

interface LaneOptions {
  /** Max number of requests at a time. */
  concurrency: number;
  /** Sends it once; resolves to the failure, if any. */
  send: (delivery: Delivery) => Promise<SendFailure | undefined>;
  /** It was acknowledged or, with a failure, refused. */
  onSettled: (delivery: Delivery, refusal: SendFailure | undefined) => void;
  /** An attempt failed and will be repeated. */
  onFailed: (delivery: Delivery, failure: SendFailure) => void;
}

interface Waiting {
  delivery: Delivery;
  /** Failed attempts. */
  attempts: number;
  /** Of its own, so that a request that always fails is not repeated after each success of another. */
  notBefore: number;
}

/** Retries that somebody waits for happen this much sooner. */
const HURRY_SPEEDUP = 5;

/**
 * Sends requests, in any order, until each is acknowledged or refused. While attempts fail, the delays between them
 * increase, and there is one at a time unless somebody waits.
 */
export class DeliveryLane {
  readonly #options: LaneOptions;
  /** Sent first, and not delayed by failures of others. */
  #urgent: Delivery[] = [];
  #waiting: Waiting[] = [];
  #inFlight = 0;
  /** Failed attempts since the last response. */
  #failures = 0;
  #failure: SendFailure | undefined;
  /** All times are monotonic. */
  #holdUntil = 0;
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #hurries = 0;
  #closed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Of the last attempt, if it failed. */
  get failure(): SendFailure | undefined {
    return this.#failure;
  }

  /** When the next request is sent: 0 while one is in flight, infinite if there is none. */
  get nextAttemptAt(): number {
    if (this.#inFlight > 0) return 0;
    if (this.#urgent.length === 0 && this.#waiting.length === 0) return Number.POSITIVE_INFINITY;
    return Math.max(this.#holdUntil, this.#pausedUntil);
  }

  add(delivery: Delivery): void {
    this.#waiting.push({ delivery, attempts: 0, notBefore: 0 });
    if (this.#failures === 0) this.#sendNext();
    else this.#schedule();
  }

  /** Sends it at once, even if the last attempts failed. */
  addUrgent(delivery: Delivery): void {
    this.#urgent.push(delivery);
    this.#sendNext();
  }

  /** Removes and returns the oldest request that is neither urgent nor in flight. */
  takeOldest(): Delivery | undefined {
    return this.#waiting.shift()?.delivery;
  }

  /** Retries sooner, until the returned function is called. */
  hurry(): () => void {
    this.#hurries += 1;
    let isDone = false;
    return () => {
      if (!isDone) this.#hurries -= 1;
      isDone = true;
    };
  }

  /** Tries everything again now, unless the service asked not to. */
  retryNow(): void {
    this.#failures = 0;
    this.#holdUntil = 0;
    for (const waiting of this.#waiting) waiting.notBefore = 0;
    this.#sendNext();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#urgent = [];
    this.#waiting = [];
  }

  #sendNext(): void {
    while (!this.#closed && performance.now() >= this.#pausedUntil) {
      if (this.#inFlight >= this.#maxInFlight()) return;
      const next = this.#takeNext();
      if (!next) break;
      this.#inFlight += 1;
      void this.#attempt(next);
    }
    this.#schedule();
  }

  #maxInFlight(): number {
    return this.#failures > 0 && this.#hurries === 0 ? 1 : this.#options.concurrency;
  }

  #takeNext(): Waiting | undefined {
    const delivery = this.#urgent.shift();
    if (delivery) return { delivery, attempts: 0, notBefore: 0 };
    const now = performance.now();
    if (now < this.#holdUntil) return undefined;
    const index = this.#waiting.findIndex(({ notBefore }) => notBefore <= now);
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0];
  }

  async #attempt(waiting: Waiting): Promise<void> {
    // Attempts at the same time, and urgent ones before the next retry, tell nothing new about an outage.
    const isProbe = performance.now() >= this.#holdUntil;
    const failuresBefore = this.#failures;
    const failure = await this.#options.send(waiting.delivery);
    this.#inFlight -= 1;
    if (this.#closed) return;
    if (failure?.transient) {
      if (isProbe && this.#failures === failuresBefore) this.#hold();
      this.#retryLater(waiting, failure);
      return;
    }
    this.#failures = 0;
    this.#failure = undefined;
    this.#holdUntil = 0;
    this.#options.onSettled(waiting.delivery, failure);
    this.#sendNext();
  }

  #hold(): void {
    this.#failures += 1;
    this.#holdUntil = performance.now() + this.#delay(this.#failures);
  }

  #retryLater(waiting: Waiting, failure: SendFailure): void {
    const now = performance.now();
    waiting.attempts += 1;
    waiting.notBefore = now + this.#delay(waiting.attempts);
    this.#waiting.push(waiting);
    this.#failure = failure;
    this.#pausedUntil = Math.max(this.#pausedUntil, now + failure.retryAfterMs);
    this.#sendNext();
    this.#options.onFailed(waiting.delivery, failure);
  }

  #delay(attempt: number): number {
    return retryDelay(attempt, 0, Math.random) / (this.#hurries > 0 ? HURRY_SPEEDUP : 1);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#closed || this.#inFlight >= this.#maxInFlight()) return;
    let at = this.#urgent.length > 0 ? 0 : Number.POSITIVE_INFINITY;
    for (const { notBefore } of this.#waiting) at = Math.min(at, notBefore);
    if (at === Number.POSITIVE_INFINITY) return;
    const delay = Math.max(at, this.#holdUntil, this.#pausedUntil) - performance.now();
    // A timer may fire slightly early.
    this.#timer = setTimeout(() => this.#sendNext(), Math.max(0, delay) + 1).unref();
  }
}
