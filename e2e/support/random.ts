import { mulberry32 } from '@switchyard/testing/random/mulberry32';

/** Reproducible random numbers: each run prints its seed, and `E2E_SEED=… npx vitest run e2e` repeats it. */
export class SeededRandom {
  readonly seed: number;
  /** Uniform in [0, 1). */
  readonly next: () => number;

  constructor(seed: number) {
    this.seed = seed;
    this.next = mulberry32(seed);
  }

  /** Prints the seed, so that a failure can be reproduced. */
  static forThisRun(purpose: string): SeededRandom {
    const seed = Number(process.env.E2E_SEED ?? Date.now() % 2 ** 31);
    console.log(`${purpose}: E2E_SEED=${seed}`);
    return new SeededRandom(seed);
  }

  /** An integer from `min` to `max`, both inclusive. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.between(0, choices.length - 1)] as T;
  }
}
