/** How long the work may occupy the thread at a time; requests wait meanwhile. */
const MAX_MS = 4;

/**
 * Synchronous loops over many items, all of which together leave the thread to requests every few milliseconds. Work
 * that can wait by itself uses `TimeSlice`.
 */
export class SlicedLoops {
  /** Each call handles one item, and returns whether it was the last one. */
  readonly #loops: (() => boolean)[] = [];
  #isOver = false;

  /** Handles the first items before it returns, and the others in later turns of the event loop. */
  run<T>(items: Iterable<T>, handle: (item: T) => void): void {
    const iterator = items[Symbol.iterator]();
    this.#loops.push(() => {
      const next = iterator.next();
      if (!next.done) handle(next.value);
      return next.done === true;
    });
    if (!this.#isOver) this.#work();
  }

  #work(): void {
    // Even if nothing is left: whatever else comes in this turn waits for the next one.
    this.#isOver = true;
    setImmediate(() => {
      this.#isOver = false;
      if (this.#loops.length > 0) this.#work();
    });
    const endsAt = performance.now() + MAX_MS;
    while (this.#loops.length > 0 && performance.now() < endsAt) {
      if (this.#loops[0]!()) this.#loops.shift();
    }
  }
}
