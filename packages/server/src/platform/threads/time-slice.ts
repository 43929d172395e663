import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long loading occupies the storage thread at a time: commits wait meanwhile, and requests for them. */
const MIN_MS = 1;
const MAX_MS = 10;

/**
 * Lets journal commits come first during long asynchronous work on their thread: it asks whether its slice is over, and
 * waits for the next one. A slice may take as long as the commits before it, so that on a slow disk the work gets half
 * of the time, and does not fall behind.
 */
export class TimeSlice {
  #startedAt = performance.now();
  #length = MIN_MS;

  get isOver(): boolean {
    return performance.now() - this.#startedAt > this.#length;
  }

  async next(): Promise<void> {
    const endedAt = performance.now();
    await nextTurn();
    this.#startedAt = performance.now();
    this.#length = Math.max(MIN_MS, Math.min(MAX_MS, this.#startedAt - endedAt));
  }
}
