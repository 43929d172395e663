import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long loading may occupy the storage thread at a time: commits wait meanwhile, and requests for them. */
const TURN_MS = 1;

/** Lets journal commits come first during long work on their thread. */
export class ShortTurns {
  #startedAt = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#startedAt > TURN_MS;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#startedAt = performance.now();
  }
}
