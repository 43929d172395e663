import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../sql.ts';
import type { SessionKey } from './key-hasher.ts';
import { KeyTable } from './key-table.ts';

/** Sessions of which the start is at hand; twice as many at most. 16 bytes a slot. */
const GENERATION = 90_000;

/** A table doubles at once: with millions of keys in one that would hold up the thread for a tenth of a second. */
const PARTITIONS = 64;

/** Lists of which the first page is older than this many moves may show a session twice. */
const MAX_MOVES = 20_000;

/** A session turned out to be older than it seemed. */
interface Move {
  property: number;
  key: bigint;
  startedBefore: number;
  /** That of the batch which told it. */
  watermark: number;
}

interface StartSpan {
  oldest: number;
  newest: number;
}

/**
 * What memory knows of the sessions, so that a batch seldom has to look them up: the keys of all of them, and the
 * start of those heard of lately.
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
    this.forgetStarts();
    this.#spans.clear();
    const spans = await rowsOf<[number, bigint, bigint]>(
      connection,
      'SELECT property, min(started_at), max(started_at) FROM sessions GROUP BY property',
    );
    for (const [property, oldest, newest] of spans) {
      this.#spans.set(property, { oldest: Number(oldest), newest: Number(newest) });
    }
  }

  /** False: the session was never stored. True: most likely it was. */
  knows(key: SessionKey): boolean {
    return partitionOf(this.#known, key.high).has(key.low, key.high);
  }

  /** When the session started, if that is at hand. */
  startOf(key: SessionKey): number | undefined {
    const young = this.#young.get(key.low, key.high);
    if (young !== undefined) return young;
    const old = this.#old.get(key.low, key.high);
    if (old !== undefined) this.#rememberStart(key, old);
    return old;
  }

  /** All sessions of the property started within it; it may be wider than they need. */
  spanOf(property: number): Readonly<StartSpan> | undefined {
    return this.#spans.get(property);
  }

  /** Before the batch is stored, so that no question sees the move and does not know of it. */
  noteMove(move: Move): void {
    if (this.#moves.length >= MAX_MOVES) this.#moves.splice(0, MAX_MOVES / 2);
    this.#moves.push(move);
  }

  /** The sessions that moved after the first watermark and up to the second, with the start they had at the first. */
  movesBetween(property: number, after: number, until: number): Map<bigint, number> {
    const moved = new Map<bigint, number>();
    for (let i = this.#moves.length - 1; i >= 0; i--) {
      const move = this.#moves[i] as Move;
      if (move.watermark <= after) break;
      if (move.property === property && move.watermark <= until) moved.set(move.key, move.startedBefore);
    }
    return moved;
  }

  remember(property: number, key: SessionKey, startedAt: number): void {
    addTo(this.#known, key.low, key.high);
    this.#rememberStart(key, startedAt);
    const span = this.#spans.get(property);
    if (!span) this.#spans.set(property, { oldest: startedAt, newest: startedAt });
    else if (startedAt > span.newest) span.newest = startedAt;
    else if (startedAt < span.oldest) span.oldest = startedAt;
  }

  /** After starts have changed behind its back. Keys of sessions that are gone do no harm. */
  forgetStarts(): void {
    this.#young = new KeyTable('numbers');
    this.#old = new KeyTable('numbers');
  }

  #rememberStart(key: SessionKey, startedAt: number): void {
    if (this.#young.size >= GENERATION) {
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
