import type { JournalEntry } from '../../events/store/accepted-request.ts';
import { ERASURES_SOURCE, type EventStore, type Positions } from '../../events/store/event-store.ts';
import { repeating } from './repeating.ts';

const BATCH = { firstEntries: 500, maxEntries: 20_000, characters: 16 * 1024 * 1024 };

/** The batch of a source that may be stored in part. */
export interface SourceBatch {
  source: string;
  /** What the target had before: positions after it, up to `to`. */
  after: number;
  to: number;
}

/** Keeps the boundaries of a batch, for a target that must get it again exactly as before. */
export interface BatchPlan {
  readonly current: SourceBatch | undefined;
  /** Makes it durable. */
  plan(batch: SourceBatch): Promise<void>;
}

export interface CopyProgress {
  /** Requests that this run has copied. */
  copied: number;
  /** Between 0 and 1: how much of what this run has to copy. */
  share: number;
}

export interface EventCopy {
  from: EventStore;
  to: EventStore;
  /** What to copy; later entries are ignored. */
  upTo: Positions;
  /** What the target has. */
  stored: Positions;
  plan: BatchPlan;
  onProgress: (progress: CopyProgress) => void;
}

/** The positions of those that have entries. */
export async function entryPositions(store: EventStore): Promise<Positions> {
  const { [ERASURES_SOURCE]: _, ...positions } = await store.positions();
  return positions;
}

/** Copies what the target does not have yet; returns the number of requests. */
export async function copyEvents({ from, to, upTo, stored, plan, onProgress }: EventCopy): Promise<number> {
  const progress = new Progress(upTo, stored, onProgress);
  let limit = BATCH.firstEntries;
  for (const [source, end] of Object.entries(upTo)) {
    for (let after = stored[source] ?? 0; after < end; ) {
      const planned = plannedAfter(plan.current, source, after);
      const last = planned?.to ?? end;
      const found = await repeating(() => from.exportEntries(source, after, planned ? last - after : limit));
      const batch = found.filter(({ seq }) => seq <= last);
      const lastSeq = batch.at(-1)?.seq;
      if (lastSeq !== undefined) {
        if (to.repeatsBatches && planned === undefined) await plan.plan({ source, after, to: lastSeq });
        await repeating(() => to.append(source, batch, planned !== undefined));
      }
      // The rest of these positions was deleted, or they are the last.
      after = planned !== undefined || found.length < limit ? last : (lastSeq ?? last);
      if (found.length > 0) limit = nextLimit(found);
      progress.report(source, after, batch.length);
    }
  }
  return progress.copied;
}

const plannedAfter = (batch: SourceBatch | undefined, source: string, after: number) =>
  batch?.source === source && batch.after === after ? batch : undefined;

/** Requests differ much in size: a batch of many must fit into memory. */
function nextLimit(entries: readonly JournalEntry[]): number {
  const characters = JSON.stringify(entries).length / entries.length;
  return Math.max(1, Math.min(BATCH.maxEntries, Math.floor(BATCH.characters / characters)));
}

class Progress {
  copied = 0;
  readonly #done = new Map<string, number>();
  readonly #start: Positions;
  readonly #total: number;
  readonly #onProgress: EventCopy['onProgress'];

  constructor(upTo: Positions, stored: Positions, onProgress: EventCopy['onProgress']) {
    this.#start = stored;
    this.#onProgress = onProgress;
    this.#total = Object.entries(upTo).reduce(
      (sum, [source, end]) => sum + Math.max(0, end - (stored[source] ?? 0)),
      0,
    );
  }

  report(source: string, position: number, copied: number): void {
    this.copied += copied;
    this.#done.set(source, position - (this.#start[source] ?? 0));
    const done = [...this.#done.values()].reduce((sum, each) => sum + each, 0);
    this.#onProgress({ copied: this.copied, share: this.#total === 0 ? 1 : done / this.#total });
  }
}
