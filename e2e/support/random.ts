import { mulberry32 } from '../../packages/server/src/testing/mulberry32.ts';

/** Random numbers that can be had again: a failing run prints its seed, `E2E_SEED=… npx vitest run e2e` repeats it. */
export class SeededRandom {
  readonly seed: number;
  /** Uniform in [0, 1). */
  readonly next: () => number;

  constructor(seed: number) {
    this.seed = seed;
    this.next = mulberry32(seed);
  }

  /** The seed of this run, printed so that a failure can be repeated. */
  static forThisRun(purpose: string): SeededRandom {
    const seed = Number(process.env.E2E_SEED ?? Date.now() % 2 ** 31);
    console.log(`${purpose}: E2E_SEED=${seed}`);
    return new SeededRandom(seed);
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.between(0, choices.length - 1)] as T;
  }
}
