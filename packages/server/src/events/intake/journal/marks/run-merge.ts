import { compareKeys, isExpired, MARK_BYTES } from './mark.ts';
import type { MarkDatabase, StoredRun } from './mark-database.ts';
import type { RunWriter } from './run-writer.ts';

/** Reads the marks of a run in order. */
class Cursor {
  readonly #database: MarkDatabase;
  readonly #run: number;
  page: Buffer | undefined;
  at = 0;

  constructor(database: MarkDatabase, run: number) {
    this.#database = database;
    this.#run = run;
    this.page = database.nextPage(run, undefined);
  }

  next(): void {
    this.at += MARK_BYTES;
    if (this.page === undefined || this.at < this.page.length) return;
    this.page = this.#database.nextPage(this.#run, this.page);
    this.at = 0;
  }
}

/** Merges runs into one, without expired marks, in steps. */
export class RunMerge {
  readonly runs: readonly StoredRun[];
  readonly writer: RunWriter;
  readonly #cursors: Cursor[];

  constructor(database: MarkDatabase, runs: readonly StoredRun[], writer: RunWriter) {
    this.runs = runs;
    this.writer = writer;
    this.#cursors = runs.map(({ id }) => new Cursor(database, id));
  }

  /** Writes at most this many marks; returns whether there may be more. */
  step(limit: number, now: number): boolean {
    for (let i = 0; i < limit; i++) {
      const first = this.#first();
      if (first?.page === undefined) return false;
      if (!isExpired(first.page, first.at, now)) this.writer.add(first.page, first.at);
      first.next();
    }
    return true;
  }

  #first(): Cursor | undefined {
    let first: Cursor | undefined;
    for (const cursor of this.#cursors) {
      if (cursor.page === undefined) continue;
      if (first?.page === undefined || compareKeys(cursor.page, cursor.at, first.page, first.at) < 0) {
        first = cursor;
      }
    }
    return first;
  }
}
