import { setTimeout as sleep } from 'node:timers/promises';

/** An answer that is younger than this shows that the server can be reached. */
const FRESH_MS = 500;

/**
 * Asks the server for a sign of life before a statement and while it runs, unless it has just answered. A statement may
 * take a minute; one that cannot be reached must be noticed in seconds.
 */
export class Reachability {
  readonly #ping: () => Promise<void>;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #check: Promise<void> | undefined;

  constructor(ping: () => Promise<void>) {
    this.#ping = ping;
  }

  /** Throws if there is no answer. */
  async assert(): Promise<void> {
    if (performance.now() - this.#answeredAt < FRESH_MS) return;
    this.#check ??= this.#ping().finally(() => {
      this.#check = undefined;
    });
    await this.#check;
    this.answered();
  }

  /** Work may take long as long as the server answers pings; throws and aborts it when a ping fails. */
  async whileAnswering<T>(work: (silence: AbortSignal) => Promise<T>): Promise<T> {
    const [silence, end] = [new AbortController(), new AbortController()];
    try {
      return await Promise.race([work(silence.signal), this.#untilSilent(end.signal)]);
    } catch (error) {
      silence.abort();
      throw error;
    } finally {
      end.abort();
    }
  }

  /** The server has just answered. */
  answered(): void {
    this.#answeredAt = performance.now();
  }

  /** A statement has failed: the next one asks again. */
  failed(): void {
    this.#answeredAt = Number.NEGATIVE_INFINITY;
  }

  async #untilSilent(signal: AbortSignal): Promise<never> {
    for (;;) {
      await sleep(Math.max(0, this.#answeredAt + FRESH_MS - performance.now()), undefined, { signal });
      await this.assert();
    }
  }
}
