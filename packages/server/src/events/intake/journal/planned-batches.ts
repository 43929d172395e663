import type { DatabaseSyncInstance } from '@photostructure/sqlite';

/** The first and last position of a batch. */
export interface PlannedBatch {
  from: number;
  to: number;
}

/**
 * The boundaries of the batch that is being stored. An engine without transactions recognizes what it has stored only
 * if a batch is repeated exactly, also after a restart.
 */
export class PlannedBatches {
  readonly #db: DatabaseSyncInstance;
  #current: PlannedBatch | undefined;

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
    db.exec('CREATE TABLE IF NOT EXISTS planned (from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL)');
    const row = db.prepare('SELECT from_seq, to_seq FROM planned').get();
    if (row !== undefined) this.#current = { from: Number(row.from_seq), to: Number(row.to_seq) };
  }

  get current(): PlannedBatch | undefined {
    return this.#current;
  }

  plan({ from, to }: PlannedBatch): void {
    this.#db.prepare('INSERT INTO planned VALUES (?, ?)').run(from, to);
    this.#current = { from, to };
  }

  /** Called in the transaction that records how far the store got. */
  finish(upTo: number): void {
    if (this.#current === undefined || this.#current.to > upTo) return;
    this.#db.exec('DELETE FROM planned');
    this.#current = undefined;
  }
}
