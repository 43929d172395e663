import { unavailable } from './relay-problem.ts';

/** Bounds how many requests of one kind are handled at the same time, so that no kind can starve another. */
export class Slots {
  readonly #max: number;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Throws 503 if all slots are taken. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#used >= this.#max) throw unavailable('1');
    this.#used += 1;
    try {
      return await work();
    } finally {
      this.#used -= 1;
    }
  }
}
