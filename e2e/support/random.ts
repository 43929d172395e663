/** Random numbers that can be had again: a failing run prints its seed, `E2E_SEED=… npx vitest run e2e` repeats it. */
export class SeededRandom {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** The seed of this run, printed so that a failure can be repeated. */
  static forThisRun(purpose: string): SeededRandom {
    const seed = Number(process.env.E2E_SEED ?? Date.now() % 2 ** 31);
    console.log(`${purpose}: E2E_SEED=${seed}`);
    return new SeededRandom(seed);
  }

  /** Mulberry32: uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.between(0, choices.length - 1)] as T;
  }
}
