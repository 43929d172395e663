import type { StopWork } from '../nodes.ts';

/** Starts work when this node holds the lock of the leader, and stops it when the lock is lost. */
export class Leadership {
  readonly #onError: (error: unknown) => void;
  #start: (() => StopWork) | undefined;
  #stop: StopWork | undefined;
  #stopping: Promise<void> | undefined;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get isLeader(): boolean {
    return this.#stop !== undefined;
  }

  /** Whether to try to get the lock. After a loss, not before the work has stopped. */
  get isWanted(): boolean {
    return this.#start !== undefined && this.#stop === undefined && this.#stopping === undefined;
  }

  want(start: () => StopWork): void {
    if (this.#start !== undefined) throw new Error('this node already has work for its leader');
    this.#start = start;
  }

  /** Resolves when the work has stopped. */
  async leave(): Promise<void> {
    this.#start = undefined;
    this.lost();
    await this.#stopping;
  }

  won(): void {
    this.#stop = this.#start?.();
  }

  lost(): void {
    if (this.#stop === undefined) return;
    const stop = this.#stop;
    this.#stop = undefined;
    this.#stopping = stop()
      .catch(this.#onError)
      .finally(() => {
        this.#stopping = undefined;
      });
  }
}
