/**
 * Which API keys were used since the last save, by id. Only the ids: reading the clock for every request would cost
 * five times as much, and a last use that is up to a minute late is precise enough.
 */
export class CredentialUsage {
  #used = new Set<string>();

  /** Called for every request. */
  touch(credentialId: string): void {
    this.#used.add(credentialId);
  }

  /** Saves what was used since the last call. After a failure, the next call saves it too. */
  async flush(save: (credentialIds: readonly string[]) => Promise<void>): Promise<void> {
    const used = this.#used;
    if (used.size === 0) return;
    this.#used = new Set();
    try {
      await save([...used]);
    } catch (error) {
      for (const id of used) this.#used.add(id);
      throw error;
    }
  }
}
