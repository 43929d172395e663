import { randomBytes } from 'node:crypto';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { compareKeys, MARK_BYTES } from './mark.ts';

/** Marks per page, which fit into one page of the file. */
export const PAGE_MARKS = 252;
/** Number of values of the first four bytes of a key. */
const PREFIXES = 2 ** 32;
/** Commits wait as long. */
const BUSY_MS = 500;

/** A sorted list of marks that never changes. */
export interface StoredRun {
  id: number;
  /** How often its marks were merged. */
  level: number;
  marks: number;
  /** When the last of them was added. */
  lastAt: number;
}

interface PageRow {
  id: number;
  marks: Uint8Array;
}

/**
 * The file `marks.db`: runs of marks in pages. The id of a page consists of its run and the first four bytes of its first
 * key, so that SQLite finds the page of a key by itself.
 */
export class MarkDatabase {
  /** Random: without it, someone could send keys whose hashes are next to each other. */
  readonly salt: Uint8Array;
  readonly #db: DatabaseSyncInstance;
  readonly #lastPage: StatementSyncInstance;
  readonly #firstPage: StatementSyncInstance;
  readonly #insertPage: StatementSyncInstance;
  readonly #deletePages: StatementSyncInstance;
  readonly #insertRun: StatementSyncInstance;
  readonly #deleteRun: StatementSyncInstance;
  readonly #readFilter: StatementSyncInstance;

  constructor(file: string) {
    const db = new DatabaseSync(file);
    this.#db = db;
    db.exec(`
      PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = ${BUSY_MS};
      CREATE TABLE IF NOT EXISTS mark_state (salt BLOB NOT NULL, slice INTEGER NOT NULL);
      CREATE TABLE IF NOT EXISTS mark_runs (
        id INTEGER PRIMARY KEY, level INTEGER NOT NULL, marks INTEGER NOT NULL, last_at INTEGER NOT NULL,
        filter BLOB NOT NULL
      );
      CREATE TABLE IF NOT EXISTS mark_pages (id INTEGER PRIMARY KEY, marks BLOB NOT NULL);
    `);
    db.prepare('INSERT INTO mark_state SELECT ?, 0 WHERE NOT EXISTS (SELECT * FROM mark_state)').run(
      randomBytes(16),
    );
    this.salt = db.prepare('SELECT salt FROM mark_state').get().salt as Uint8Array;
    const inRange = 'SELECT id, marks FROM mark_pages WHERE id BETWEEN ? AND ? ORDER BY id';
    this.#lastPage = db.prepare(`${inRange} DESC LIMIT 1`);
    this.#firstPage = db.prepare(`${inRange} LIMIT 1`);
    this.#insertPage = db.prepare('INSERT INTO mark_pages (id, marks) VALUES (?, ?)');
    this.#deletePages = db.prepare(
      'DELETE FROM mark_pages WHERE id IN (SELECT id FROM mark_pages WHERE id BETWEEN ? AND ? LIMIT ?)',
    );
    this.#insertRun = db.prepare(
      'INSERT INTO mark_runs (id, level, marks, last_at, filter) VALUES (?, ?, ?, ?, ?)',
    );
    this.#deleteRun = db.prepare('DELETE FROM mark_runs WHERE id = ?');
    this.#readFilter = db.prepare('SELECT filter FROM mark_runs WHERE id = ?');
  }

  /** The last slice of recent marks that was stored as a run. */
  get slice(): number {
    return Number(this.#db.prepare('SELECT slice FROM mark_state').get().slice);
  }

  /** Complete runs, oldest first. */
  runs(): StoredRun[] {
    return this.#db
      .prepare('SELECT id, level, marks, last_at AS lastAt FROM mark_runs ORDER BY last_at')
      .all() as unknown as StoredRun[];
  }

  /** Runs with pages, also incomplete ones. */
  runsWithPages(): number[] {
    const runs: number[] = [];
    for (let next = 0; ; ) {
      const page = this.#firstPage.get(next * PREFIXES, Number.MAX_SAFE_INTEGER) as PageRow | undefined;
      if (page === undefined) return runs;
      const run = Math.floor(page.id / PREFIXES);
      runs.push(run);
      next = run + 1;
    }
  }

  filterOf(run: number): Uint8Array {
    return this.#readFilter.get(run).filter as Uint8Array;
  }

  /** The mark with the key of this one: its page, and the offset there. */
  find(run: number, mark: Buffer): { page: Buffer; at: number } | undefined {
    const first = run * PREFIXES;
    const prefix = mark.readUInt32BE(0);
    for (let last = first + prefix; last >= first; ) {
      const found = this.#lastPage.get(first, last) as PageRow | undefined;
      if (found === undefined) return undefined;
      const page = bufferOf(found.marks);
      const at = offsetIn(page, mark);
      if (at !== undefined) return { page, at };
      // The page before it may end with keys that begin with the same bytes.
      if (page.readUInt32BE(0) !== prefix) return undefined;
      last = found.id - 1;
    }
    return undefined;
  }

  /** The first page of a run, or the one after the page that begins with this mark. */
  nextPage(run: number, after: Buffer | undefined): Buffer | undefined {
    const from = run * PREFIXES + (after === undefined ? 0 : after.readUInt32BE(0) + 1);
    const found = this.#firstPage.get(from, (run + 1) * PREFIXES - 1) as PageRow | undefined;
    return found && bufferOf(found.marks);
  }

  /** @param marks sorted, at most `PAGE_MARKS`, after those of the page before */
  addPage(run: number, marks: Buffer): void {
    this.#insertPage.run(run * PREFIXES + marks.readUInt32BE(0), marks);
  }

  addRun({ id, level, marks, lastAt }: StoredRun, filter: Uint8Array): void {
    this.#insertRun.run(id, level, marks, lastAt, filter);
  }

  /** Without its pages. */
  deleteRun(id: number): void {
    this.#deleteRun.run(id);
  }

  /** Deletes some pages; returns whether there may be more. */
  deletePages(run: number, limit: number): boolean {
    const { changes } = this.#deletePages.run(run * PREFIXES, (run + 1) * PREFIXES - 1, limit);
    return Number(changes) === limit;
  }

  setSlice(slice: number): void {
    this.#db.prepare('UPDATE mark_state SET slice = ?').run(slice);
  }

  /** Returns free space to the file system, if it is more than half of the file; returns whether there may be more. */
  shrink(pages: number): boolean {
    const free = Number(this.#db.prepare('PRAGMA freelist_count').get().freelist_count);
    const all = Number(this.#db.prepare('PRAGMA page_count').get().page_count);
    if (free < pages || free < all / 2) return false;
    this.#db.exec(`PRAGMA incremental_vacuum(${pages})`);
    return true;
  }

  /** Without `isDurable`, it becomes durable with the next one that is. */
  transaction(work: () => void, { isDurable }: { isDurable: boolean }): void {
    this.#db.exec(`PRAGMA synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#db.close();
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

function offsetIn(page: Buffer, mark: Buffer): number | undefined {
  let low = 0;
  let high = page.length / MARK_BYTES;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareKeys(page, middle * MARK_BYTES, mark, 0);
    if (order === 0) return middle * MARK_BYTES;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}
