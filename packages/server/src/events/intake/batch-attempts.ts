import type { PlannedBatch } from './journal/planned-batches.ts';

/** An event store recognizes a batch that is repeated within this time. */
const RECOGNIZED_MS = 5 * 60 * 1000;

/** Knows which batch was tried so long ago that the event store may not recognize it any more. */
export class BatchAttempts {
  readonly #now: () => number;
  /** Last position of the batch that was tried, and when that failed first. */
  #failed: { last: number; at: number } | undefined;

  /** @param planned by an earlier process: nobody knows when it was tried */
  constructor(planned: PlannedBatch | undefined, now = () => performance.now()) {
    this.#now = now;
    if (planned !== undefined) this.#failed = { last: planned.to, at: Number.NEGATIVE_INFINITY };
  }

  /** @param last last position of the batch that is to be stored */
  isOld(last: number): boolean {
    return this.#failed?.last === last && this.#now() - this.#failed.at > RECOGNIZED_MS;
  }

  failed(last: number): void {
    if (this.#failed?.last !== last) this.#failed = { last, at: this.#now() };
  }
}
