import { MARK_BYTES } from './mark.ts';
import { type MarkDatabase, PAGE_MARKS, type StoredRun } from './mark-database.ts';
import { MarkFilter } from './mark-filter.ts';

/** Writes a run, page by page. It exists once `finish` has been called. */
export class RunWriter {
  readonly id: number;
  readonly filter: MarkFilter;
  readonly #database: MarkDatabase;
  readonly #page = Buffer.alloc(PAGE_MARKS * MARK_BYTES);
  #pageLength = 0;
  #marks = 0;

  /** @param maxMarks how many marks are added at most */
  constructor(database: MarkDatabase, id: number, maxMarks: number) {
    this.#database = database;
    this.id = id;
    this.filter = new MarkFilter(maxMarks);
  }

  /** Adds the mark at an offset; its key is after those of all marks before. */
  add(marks: Buffer, at: number): void {
    this.filter.add(marks, at);
    marks.copy(this.#page, this.#pageLength, at, at + MARK_BYTES);
    this.#pageLength += MARK_BYTES;
    this.#marks++;
    if (this.#pageLength === this.#page.length) this.#flush();
  }

  finish(level: number, lastAt: number): StoredRun {
    this.#flush();
    const run = { id: this.id, level, marks: this.#marks, lastAt };
    this.#database.addRun(run, this.filter.bytes);
    return run;
  }

  #flush(): void {
    if (this.#pageLength === 0) return;
    this.#database.addPage(this.id, this.#page.subarray(0, this.#pageLength));
    this.#pageLength = 0;
  }
}
