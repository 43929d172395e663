import type { DuckDBConnection } from '@duckdb/node-api';
import { KeyTable } from '../../../../platform/key-table.ts';
import type { Positions } from '../../../store/event-store.ts';
import { rowsOf } from '../../connection/sql.ts';
import type { SessionHash } from './key-hasher.ts';

/** Max sessions per generation of cached sessions, of which there are two. 32 bytes per slot. */
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

/** Recently seen sessions: their keys by hash, and their starts by key. */
interface Generation {
  keys: KeyTable<'bigints'>;
  starts: KeyTable<'numbers'>;
}

interface StartSpan {
  oldest: number;
  newest: number;
}

/**
 * In-memory cache of sessions, so that a batch rarely has to query them: the hashes of all sessions, and the keys and
 * starts of recently seen ones.
 */
export class SessionRegistry {
  #known = emptyPartitions();
  #young = emptyGeneration();
  #old = emptyGeneration();
  #nextKey = 1n;
  readonly #spans = new Map<number, StartSpan>();
  #moves: Move[] = [];

  async load(connection: DuckDBConnection): Promise<void> {
    const known = emptyPartitions();
    const result = await connection.stream(
      'SELECT CAST(session_hash >> 32 AS INTEGER), CAST((session_hash & 4294967295) - 2147483648 AS INTEGER) FROM sessions',
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
    this.clearCache();
    this.#spans.clear();
    this.#nextKey = 1n;
    const spans = await rowsOf<[number, bigint, bigint | null, bigint | null]>(
      connection,
      'SELECT property, max(session_key), min(started_at), max(started_at) FROM sessions GROUP BY property',
    );
    for (const [property, lastKey, oldest, newest] of spans) {
      if (lastKey >= this.#nextKey) this.#nextKey = lastKey + 1n;
      if (oldest !== null) this.#spans.set(property, { oldest: Number(oldest), newest: Number(newest) });
    }
  }

  /** False: the session was never stored. True: it most likely was. */
  knows(hash: SessionHash): boolean {
    return partitionOf(this.#known, hash.high).has(hash.low, hash.high);
  }

  /** For the first session that is not stored yet; keys count up, so that they take little on disk. */
  get nextKey(): bigint {
    return this.#nextKey;
  }

  /** The key of a session, if that is cached. Its start is cached too. */
  keyOf(hash: SessionHash): bigint | undefined {
    const young = this.#young.keys.get(hash.low, hash.high);
    if (young !== undefined) return young;
    const old = this.#old.keys.get(hash.low, hash.high);
    if (old !== undefined) this.#cache(hash, old, this.startOf(old) as number);
    return old;
  }

  /** When the session started, if that is cached. */
  startOf(key: bigint): number | undefined {
    const [low, high] = halvesOf(key);
    return this.#young.starts.get(low, high) ?? this.#old.starts.get(low, high);
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

  /** @param startedAt infinite: the session has no event yet */
  add(property: number, hash: SessionHash, key: bigint, startedAt: number): void {
    addTo(this.#known, hash.low, hash.high);
    if (key >= this.#nextKey) this.#nextKey = key + 1n;
    if (startedAt === Number.POSITIVE_INFINITY) return;
    this.#cache(hash, key, startedAt);
    const span = this.#spans.get(property);
    if (!span) this.#spans.set(property, { oldest: startedAt, newest: startedAt });
    else if (startedAt > span.newest) span.newest = startedAt;
    else if (startedAt < span.oldest) span.oldest = startedAt;
  }

  /** Call it after an erasure deleted sessions or changed their starts. Hashes of deleted sessions are harmless. */
  clearCache(): void {
    this.#young = emptyGeneration();
    this.#old = emptyGeneration();
  }

  #cache(hash: SessionHash, key: bigint, startedAt: number): void {
    if (this.#young.keys.size >= GENERATION_SIZE) {
      this.#old = this.#young;
      this.#young = emptyGeneration();
    }
    this.#young.keys.set(hash.low, hash.high, key);
    this.#young.starts.set(...halvesOf(key), startedAt);
  }
}

const emptyGeneration = (): Generation => ({
  keys: new KeyTable('bigints'),
  starts: new KeyTable('numbers'),
});

const halvesOf = (key: bigint): [low: number, high: number] => [
  Number(BigInt.asIntN(32, key)),
  Number(key >> 32n),
];

function emptyPartitions(): KeyTable<'keys'>[] {
  return Array.from({ length: PARTITIONS }, () => new KeyTable('keys'));
}

function partitionOf(partitions: readonly KeyTable<'keys'>[], high: number): KeyTable<'keys'> {
  return partitions[high & (PARTITIONS - 1)] as KeyTable<'keys'>;
}

function addTo(partitions: readonly KeyTable<'keys'>[], low: number, high: number): void {
  partitionOf(partitions, high).set(low, high);
}
