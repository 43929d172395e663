/** Runs work that changes or holds whole files, such as erasures and backups, one at a time. */
export class FileQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when the work queued so far has finished. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
