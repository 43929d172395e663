import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';

const TABLES = ['entries', 'entries_2'] as const;

export interface JournalRow {
  seq: number;
  payload: string;
}

/**
 * The rows of the journal, in two alternating tables. SQLite moves rows between the pages of a table and can leave
 * copies behind; so an erasure switches to the other table, and then overwrites all pages of the first.
 */
export class JournalEntries {
  readonly #db: DatabaseSyncInstance;
  readonly #inserts: StatementSyncInstance[];
  readonly #deletes: StatementSyncInstance[];
  readonly #next: StatementSyncInstance;
  /** Index of the table that receives new rows. */
  #current: 0 | 1;

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
    for (const table of TABLES) {
      db.exec(`CREATE TABLE IF NOT EXISTS ${table} (seq INTEGER PRIMARY KEY, payload TEXT NOT NULL)`);
    }
    const prepare = (sql: (table: string) => string) => TABLES.map((table) => db.prepare(sql(table)));
    this.#inserts = prepare((table) => `INSERT INTO ${table} (seq, payload) VALUES (?, ?)`);
    this.#deletes = prepare((table) => `DELETE FROM ${table} WHERE seq <= ?`);
    this.#next = db.prepare(
      `SELECT seq, payload FROM entries WHERE seq > ?1
       UNION ALL SELECT seq, payload FROM entries_2 WHERE seq > ?1 ORDER BY seq LIMIT ?2`,
    );
    const [first, second] = TABLES.map((table) => lastIn(db, table)) as [number, number];
    this.#current = second > first ? 1 : 0;
  }

  state(): { last: number; length: number } {
    const lengths = TABLES.map((table) =>
      Number(
        this.#db.prepare(`SELECT coalesce(sum(length(payload)), 0) AS length FROM ${table}`).get().length,
      ),
    );
    return {
      last: lastEntry(this.#db),
      length: lengths.reduce((sum, length) => sum + length, 0),
    };
  }

  insert(seq: number, payload: string): void {
    this.#inserts[this.#current]!.run(seq, payload);
  }

  /** Rows after a position, oldest first. */
  read(after: number, limit: number): JournalRow[] {
    return this.#next.all(after, limit) as unknown as JournalRow[];
  }

  deleteUpTo(seq: number): void {
    for (const statement of this.#deletes) statement.run(seq);
  }

  /** Moves the rows after a position to later positions, in the caller's transaction. */
  move(after: number, distance: number): void {
    for (const table of TABLES) {
      // Through negative positions, because a position must not be taken when a row gets it.
      this.#db.prepare(`UPDATE ${table} SET seq = -(seq + ?) WHERE seq > ?`).run(distance, after);
      this.#db.exec(`UPDATE ${table} SET seq = -seq WHERE seq < 0`);
    }
  }

  /** Directs new rows to the other table. */
  switchTables(): void {
    this.clearUnusedTable();
    this.#current = this.#unused;
  }

  /** Frees all pages of the unused table, whose rows must have been deleted. */
  clearUnusedTable(): void {
    const table = TABLES[this.#unused];
    if (lastIn(this.#db, table) > 0) throw new Error(`${table} still has entries`);
    this.#db.exec(`DELETE FROM ${table}`);
  }

  get #unused(): 0 | 1 {
    return this.#current === 0 ? 1 : 0;
  }
}

/** The last position of all entries; 0 without any. */
export const lastEntry = (db: DatabaseSyncInstance): number =>
  Math.max(...TABLES.map((table) => lastIn(db, table)));

function lastIn(db: DatabaseSyncInstance, table: string): number {
  return Number(db.prepare(`SELECT coalesce(max(seq), 0) AS last FROM ${table}`).get().last);
}
