import { type JournalWrite, lengthOf, type WriteOutcome } from './journal/journal.ts';

/** Limits the duration of a transaction; one client never sends more at once. */
const MAX_ROWS = 4000;
const MAX_LENGTH = 8 * 1024 * 1024;

interface Commit {
  writes: readonly JournalWrite[];
  length: number;
  committed: (outcomes: WriteOutcome[]) => void;
  refused: () => void;
}

interface Options {
  /** Makes writes durable in one transaction, and then calls back. */
  commit: (writes: readonly JournalWrite[], reply: (outcomes: WriteOutcome[]) => void) => void;
  /** Size of what may still be stored. */
  room: () => number;
}

/** Puts commits of several processes that arrive at the same time into one transaction. */
export class GroupedCommits {
  readonly #options: Options;
  #waiting: Commit[] = [];

  constructor(options: Options) {
    this.#options = options;
  }

  /** `refused` is called if the writes do not fit into the journal. */
  add(writes: readonly JournalWrite[], reply: Pick<Commit, 'committed' | 'refused'>): void {
    const length = writes.reduce((sum, write) => sum + lengthOf(write), 0);
    if (this.#waiting.length === 0) this.#schedule();
    this.#waiting.push({ writes, length, ...reply });
  }

  #schedule(): void {
    setImmediate(() => {
      this.#commit(this.#next());
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #next(): Commit[] {
    const group: Commit[] = [];
    const room = this.#options.room();
    let [count, rows, length] = [0, 0, 0];
    for (const commit of this.#waiting) {
      if (rows >= MAX_ROWS || length >= MAX_LENGTH) break;
      count += 1;
      if (length + commit.length > room) {
        commit.refused();
        continue;
      }
      group.push(commit);
      rows += commit.writes.length;
      length += commit.length;
    }
    this.#waiting = this.#waiting.slice(count);
    return group;
  }

  #commit(group: readonly Commit[]): void {
    if (group.length === 0) return;
    const all = group.flatMap(({ writes }) => writes);
    this.#options.commit(all, (outcomes) => {
      let start = 0;
      for (const { writes, committed } of group) {
        committed(outcomes.slice(start, start + writes.length));
        start += writes.length;
      }
    });
  }
}
