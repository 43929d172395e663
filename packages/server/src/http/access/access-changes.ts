type Check = () => Promise<void>;

/** Sessions and tokens that ended, and rights that were taken away, as known to the processes of one node. */
export class AccessChanges {
  readonly #tellOthers: Check;
  #check: Check = async () => {};

  /** @param tellOthers resolves when the other processes have checked what they serve */
  constructor(tellOthers: Check = async () => {}) {
    this.#tellOthers = tellOthers;
  }

  /** What to do after a change in any process: end what is no longer allowed. */
  onChange(check: Check): void {
    this.#check = check;
  }

  /** After a change by this process. Resolves when no process of this node serves what has ended. */
  async announce(): Promise<void> {
    await Promise.all([this.#check(), this.#tellOthers()]);
  }

  /** After a change by another process. */
  check(): Promise<void> {
    return this.#check();
  }
}
