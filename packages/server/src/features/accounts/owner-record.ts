import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../configuration/database/database.ts';
import { hasOwner } from './account-store.ts';

const TEXT = `This server has had an owner. If the accounts are lost, the next visitor must not become the owner:
restore a backup, or create an owner with "switchyard users create --owner".
`;

/** Remembers in the data directory that there was an owner, even if the database loses its accounts. */
export class OwnerRecord {
  readonly #file: string;
  #exists: boolean;

  constructor(dataDir: string) {
    this.#file = join(dataDir, 'had-owner');
    this.#exists = existsSync(this.#file);
  }

  /** Whether the first owner may be created by whoever comes first. */
  async needsOwner(database: Database): Promise<boolean> {
    if (await hasOwner(database)) this.save();
    return !this.#exists;
  }

  save(): void {
    if (this.#exists) return;
    writeFileSync(this.#file, TEXT, { mode: 0o600, flush: true });
    this.#exists = true;
  }
}
