import { isExpired, isSameRequest, KEPT_MS, MARK_BYTES } from './mark.ts';
import { MarkDatabase, type StoredRun } from './mark-database.ts';
import { MarkFilter } from './mark-filter.ts';
import type { RecentMarks } from './recent-marks.ts';
import { RunMerge } from './run-merge.ts';
import { RunWriter } from './run-writer.ts';

/** So many runs of a level become one of the next. Lookups take longer with more runs, and merging with fewer. */
const FAN_OUT = 16;
/** Runs of this level are not merged: they have up to 130 million marks. */
const TOP_LEVEL = 3;
/** Work of a step, a few milliseconds. */
const STEP_MARKS = 4096;
const STEP_PAGES = 64;
/** Ids begin again at 1, because those of pages contain them. */
const MAX_ID = 2 ** 20;

interface OpenRun extends StoredRun {
  /** Undefined until it is read: then pages are read instead. */
  filter: MarkFilter | undefined;
}

/**
 * The marks of the last day on disk: sorted runs, which are merged into larger ones as they get more. A lookup asks a
 * filter in memory for each run, and reads one page of the few runs that may have the key.
 */
export class MarkRuns {
  readonly #database: MarkDatabase;
  /** Oldest first. */
  #runs: OpenRun[];
  /** Runs that were replaced or expired, or are incomplete after a crash: only their pages are left. */
  #garbage: number[];
  #merge: RunMerge | undefined;

  constructor(file: string) {
    this.#database = new MarkDatabase(file);
    this.#runs = this.#database.runs().map((run) => ({ ...run, filter: undefined }));
    const complete = new Set(this.#runs.map(({ id }) => id));
    this.#garbage = this.#database.runsWithPages().filter((id) => !complete.has(id));
  }

  get salt(): Uint8Array {
    return this.#database.salt;
  }

  /** The last slice that was stored. */
  get slice(): number {
    return this.#database.slice;
  }

  get bytes(): number {
    return this.#runs.reduce((sum, { marks }) => sum + marks * MARK_BYTES, 0);
  }

  /** Whether the key of the mark was used for the same request; undefined if it is new. */
  matches(mark: Buffer, now: number): boolean | undefined {
    for (let i = this.#runs.length - 1; i >= 0; i--) {
      const { id, lastAt, filter } = this.#runs[i]!;
      // The minutes of its marks are only known while it is young.
      if (lastAt + KEPT_MS <= now) return undefined;
      if (filter?.mayHave(mark, 0) === false) continue;
      const found = this.#database.find(id, mark);
      if (found !== undefined && !isExpired(found.page, found.at, now)) {
        return isSameRequest(found.page, found.at, mark, 0);
      }
    }
    return undefined;
  }

  /** Durable when it returns. */
  store(recent: RecentMarks): void {
    const marks = recent.sorted();
    const writer = new RunWriter(this.#database, this.#nextId(), recent.size);
    let run: StoredRun | undefined;
    this.#database.transaction(
      () => {
        for (let at = 0; at < marks.length; at += MARK_BYTES) writer.add(marks, at);
        run = writer.finish(0, recent.lastAt);
        this.#database.setSlice(recent.slice);
      },
      { isDurable: true },
    );
    this.#runs.push({ ...run!, filter: writer.filter });
  }

  /** Does some of the work that is due; returns whether there may be more. */
  step(now: number): boolean {
    return (
      this.#deleteSome() || this.#readFilter() || this.#expire(now) || this.#mergeSome(now) || this.#shrink()
    );
  }

  #deleteSome(): boolean {
    const id = this.#garbage[0];
    if (id === undefined) return false;
    const hasMore = this.#database.deletePages(id, STEP_PAGES);
    if (!hasMore) this.#garbage.shift();
    return true;
  }

  #readFilter(): boolean {
    const run = this.#runs.find(({ filter }) => filter === undefined);
    if (run === undefined) return false;
    run.filter = new MarkFilter(this.#database.filterOf(run.id));
    return true;
  }

  #expire(now: number): boolean {
    const merging = new Set(this.#merge?.runs.map(({ id }) => id));
    const expired = this.#runs.filter(({ id, lastAt }) => lastAt + KEPT_MS <= now && !merging.has(id));
    if (expired.length === 0) return false;
    this.#replace(expired, undefined);
    return true;
  }

  #mergeSome(now: number): boolean {
    this.#merge ??= this.#nextMerge();
    const merge = this.#merge;
    if (merge === undefined) return false;
    try {
      let hasMore = true;
      this.#database.transaction(
        () => {
          hasMore = merge.step(STEP_MARKS, now);
        },
        { isDurable: false },
      );
      if (!hasMore) this.#finish(merge);
    } catch (error) {
      // Its position is ahead of the file, so the next attempt starts again with another run.
      this.#merge = undefined;
      this.#garbage.push(merge.writer.id);
      throw error;
    }
    return true;
  }

  /** Of the lowest level with enough runs. */
  #nextMerge(): RunMerge | undefined {
    for (let level = 0; level < TOP_LEVEL; level++) {
      const runs = this.#runs.filter((run) => run.level === level);
      if (runs.length < FAN_OUT) continue;
      const marks = runs.reduce((sum, run) => sum + run.marks, 0);
      return new RunMerge(this.#database, runs, new RunWriter(this.#database, this.#nextId(), marks));
    }
    return undefined;
  }

  #finish({ runs, writer }: RunMerge): void {
    const { level, lastAt } = runs.at(-1)!;
    this.#replace(runs, { writer, level: level + 1, lastAt });
    this.#merge = undefined;
  }

  #replace(
    runs: readonly StoredRun[],
    by: { writer: RunWriter; level: number; lastAt: number } | undefined,
  ): void {
    let merged: StoredRun | undefined;
    this.#database.transaction(
      () => {
        merged = by?.writer.finish(by.level, by.lastAt);
        for (const { id } of runs) this.#database.deleteRun(id);
      },
      { isDurable: true },
    );
    const replaced = new Set(runs.map(({ id }) => id));
    const kept = this.#runs.filter(({ id }) => !replaced.has(id));
    const added = merged && by ? [{ ...merged, filter: by.writer.filter }] : [];
    this.#runs = [...kept, ...added].sort((a, b) => a.lastAt - b.lastAt);
    this.#garbage.push(...replaced);
  }

  #shrink(): boolean {
    return this.#database.shrink(STEP_PAGES);
  }

  #nextId(): number {
    const used = new Set([...this.#runs.map(({ id }) => id), ...this.#garbage]);
    if (this.#merge) used.add(this.#merge.writer.id);
    let id = Math.max(0, ...used) + 1;
    if (id >= MAX_ID) for (id = 1; used.has(id); ) id++;
    return id;
  }

  close(): void {
    this.#database.close();
  }
}
