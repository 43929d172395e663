import type { DuckDBConnection } from '@duckdb/node-api';
import type { Positions } from '../../event-store.ts';
import { rowsOf } from '../sql.ts';
import type { SessionKey } from './key-hasher.ts';
import { KeyTable } from './key-table.ts';

/** Max sessions per generation of cached starts, of which there are two. 16 bytes per slot. */
const GENERATION_SIZE = 90_000;

/** A table is resized in one step; with millions of keys in a single table that would block the thread for 100 ms. */
const PARTITIONS = 64;

/** Max recorded moves; a list whose first page is older may show a session twice. */
const MAX_MOVES = 20_000;

/** An earlier event moved the start of a session back. */
interface Move {
  property: number;
  key: bigint;
  startedBefore: number;
  /** The batch that moved it: its source, and the watermark after it. */
  source: string;
  watermark: number;
}

interface StartSpan {
  oldest: number;
  newest: number;
}

/**
 * In-memory cache of sessions, so that a batch rarely has to query them: the keys of all sessions, and the start of
 * recently seen ones.
 */
export class SessionRegistry {
  #known = emptyPartitions();
  #young = new KeyTable('numbers');
  #old = new KeyTable('numbers');
  readonly #spans = new Map<number, StartSpan>();
  #moves: Move[] = [];

  async load(connection: DuckDBConnection): Promise<void> {
    const known = emptyPartitions();
    const result = await connection.stream(
      'SELECT CAST(session_key >> 32 AS INTEGER), CAST((session_key & 4294967295) - 2147483648 AS INTEGER) FROM sessions',
    );
    for (
      let chunk = await result.fetchChunk();
      chunk && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      const high = chunk.getColumnValues(0) as number[];
      const low = chunk.getColumnValues(1) as number[];
      for (let row = 0; row < high.length; row++)
        addTo(known, (low[row] as number) ^ -2147483648, high[row] as number);
    }
    this.#known = known;
    this.#moves = [];
    this.clearStarts();
    this.#spans.clear();
    const spans = await rowsOf<[number, bigint, bigint]>(
      connection,
      'SELECT property, min(started_at), max(started_at) FROM sessions GROUP BY property',
    );
    for (const [property, oldest, newest] of spans) {
      this.#spans.set(property, { oldest: Number(oldest), newest: Number(newest) });
    }
  }

  /** False: the session was never stored. True: it most likely was. */
  knows(key: SessionKey): boolean {
    return partitionOf(this.#known, key.high).has(key.low, key.high);
  }

  /** When the session started, if that is cached. */
  startOf(key: SessionKey): number | undefined {
    const young = this.#young.get(key.low, key.high);
    if (young !== undefined) return young;
    const old = this.#old.get(key.low, key.high);
    if (old !== undefined) this.#cacheStart(key, old);
    return old;
  }

  /** All sessions of the property started within this span; it may be wider than necessary. */
  spanOf(property: number): Readonly<StartSpan> | undefined {
    return this.#spans.get(property);
  }

  /** Call it before the batch is stored, so that no query sees an unrecorded move. */
  recordMove(move: Move): void {
    if (this.#moves.length >= MAX_MOVES) this.#moves.splice(0, MAX_MOVES / 2);
    this.#moves.push(move);
  }

  /** Sessions that moved after the positions `after`, up to `until`, with the start they had at `after`. */
  movesBetween(property: number, after: Positions, until?: Positions): Map<bigint, number> {
    const moved = new Map<bigint, number>();
    for (let i = this.#moves.length - 1; i >= 0; i--) {
      const { source, watermark, ...move } = this.#moves[i] as Move;
      const isAfter = watermark > (after[source] ?? 0);
      const isUntil = until === undefined || watermark <= (until[source] ?? 0);
      if (move.property === property && isAfter && isUntil) moved.set(move.key, move.startedBefore);
    }
    return moved;
  }

  add(property: number, key: SessionKey, startedAt: number): void {
    addTo(this.#known, key.low, key.high);
    this.#cacheStart(key, startedAt);
    const span = this.#spans.get(property);
    if (!span) this.#spans.set(property, { oldest: startedAt, newest: startedAt });
    else if (startedAt > span.newest) span.newest = startedAt;
    else if (startedAt < span.oldest) span.oldest = startedAt;
  }

  /** Call it after an erasure changed starts. Keys of deleted sessions are harmless. */
  clearStarts(): void {
    this.#young = new KeyTable('numbers');
    this.#old = new KeyTable('numbers');
  }

  #cacheStart(key: SessionKey, startedAt: number): void {
    if (this.#young.size >= GENERATION_SIZE) {
      this.#old = this.#young;
      this.#young = new KeyTable('numbers');
    }
    this.#young.set(key.low, key.high, startedAt);
  }
}

function emptyPartitions(): KeyTable<'keys'>[] {
  return Array.from({ length: PARTITIONS }, () => new KeyTable('keys'));
}

function partitionOf(partitions: readonly KeyTable<'keys'>[], high: number): KeyTable<'keys'> {
  return partitions[high & (PARTITIONS - 1)] as KeyTable<'keys'>;
}

function addTo(partitions: readonly KeyTable<'keys'>[], low: number, high: number): void {
  partitionOf(partitions, high).set(low, high);
}
