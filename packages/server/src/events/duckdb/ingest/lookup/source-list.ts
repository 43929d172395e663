import type { DuckDBConnection } from '@duckdb/node-api';
import type { Positions } from '../../../store/event-store.ts';
import { execute, rowsOf } from '../../connection/sql.ts';
import { ORDINAL } from '../../schema/duckdb-schema.ts';

/** Positions are smaller. */
const POSITION_RANGE = 2n ** 53n;
/** Ranks are smaller. */
const RANK_RANGE = 2n ** 16n;
/** Ordinals are smaller, and larger than its negative. */
const ORDINAL_RANGE = 2n ** 63n;

interface Source {
  id: number;
  name: string;
  watermark: number;
}

/**
 * The sources of the stored entries; tables refer to them by a small id. Nearly all stores have one source: then no
 * query reads the column.
 */
export class SourceList {
  readonly #isInOrder: () => boolean;
  #sources: Source[] = [];
  #ranks = new Map<number, number>();

  /** @param isInOrder whether the collects of each session were stored in the order of their receipt */
  constructor(isInOrder: () => boolean) {
    this.#isInOrder = isInOrder;
  }

  async load(connection: DuckDBConnection): Promise<void> {
    const rows = await rowsOf<[number, string, bigint]>(
      connection,
      'SELECT id, name, watermark FROM sources',
    );
    this.#sources = rows.map(([id, name, watermark]) => ({ id, name, watermark: Number(watermark) }));
    this.#rank();
  }

  get hasSeveral(): boolean {
    return this.#sources.length > 1;
  }

  watermarkOf(name: string): number {
    return this.find(name)?.watermark ?? 0;
  }

  positions(): Positions {
    const stored = this.#sources.filter(({ watermark }) => watermark > 0);
    return Object.fromEntries(stored.map(({ name, watermark }) => [name, watermark]));
  }

  /** The id of a source, assigned if needed; a new one must be stored with the batch that uses it. */
  idOf(name: string): number {
    const known = this.find(name);
    if (known !== undefined) return known.id;
    const id = this.#sources.reduce((max, source) => Math.max(max, source.id), -1) + 1;
    this.#sources.push({ id, name, watermark: 0 });
    this.#rank();
    return id;
  }

  find(name: string): Readonly<Source> | undefined {
    return this.#sources.find((source) => source.name === name);
  }

  nameOf(id: number): string {
    return this.#sources.find((source) => source.id === id)?.name ?? '';
  }

  /** In the order of their names. */
  get all(): readonly Readonly<Source>[] {
    return this.#sources.toSorted((a, b) => compareTexts(a.name, b.name));
  }

  /** Stores the watermark in the transaction of the batch; call `setWatermark` after the commit. */
  async storeWatermark(connection: DuckDBConnection, name: string, watermark: number): Promise<void> {
    const id = this.idOf(name);
    const changed = await execute(connection, 'UPDATE sources SET watermark = $1 WHERE id = $2', [
      watermark,
      id,
    ]);
    if (changed > 0) return;
    await execute(connection, 'INSERT INTO sources VALUES ($1, $2, $3)', [id, name, watermark]);
  }

  setWatermark(name: string, watermark: number): void {
    this.#sources[this.#sources.findIndex((source) => source.name === name)]!.watermark = watermark;
  }

  /** SQL condition: stored after these positions. */
  isAfter(positions: Positions): string {
    const conditions = this.#sources.map(({ id, name }) => {
      const position = positions[name];
      const isOfSource = this.hasSeveral ? `source = ${id}` : 'true';
      return position === undefined ? isOfSource : `${isOfSource} AND seq > ${position}`;
    });
    return conditions.length === 0 ? 'false' : `(${conditions.map((it) => `(${it})`).join(' OR ')})`;
  }

  /** SQL for the order of `collects`. One number, because a row value is slower to compare. */
  get collectOrder(): string {
    return !this.hasSeveral && this.#isInOrder() ? 'seq' : this.receiptOrder;
  }

  /** The same for the collects of several sessions, which need not have been stored in the order of their receipt. */
  get receiptOrder(): string {
    const time = 'received_at::HUGEINT';
    if (!this.hasSeveral) return `(${time} * ${POSITION_RANGE} + seq)`;
    return `((${time} * ${RANK_RANGE} + ${this.#rankColumn}) * ${POSITION_RANGE} + seq)`;
  }

  /** SQL columns that order events, besides their time. */
  get tieBreak(): string {
    return this.hasSeveral ? `${this.#rankColumn}, seq, event_index` : 'seq, event_index';
  }

  /** Like `tieBreak`, as one number. */
  get tieBreakNumber(): string {
    return this.hasSeveral ? `(${this.#rankColumn}::HUGEINT * ${2n * ORDINAL_RANGE} + ${ORDINAL})` : ORDINAL;
  }

  /** The value of `tieBreakNumber` for an event, also of a source without entries. */
  tieBreakOf(source: string, ordinal: number): bigint {
    if (!this.hasSeveral) {
      const only = this.#sources[0]?.name ?? source;
      if (source === only) return BigInt(ordinal);
      return compareTexts(source, only) < 0 ? -ORDINAL_RANGE : ORDINAL_RANGE - 1n;
    }
    const known = this.find(source);
    const before = this.#sources.filter(({ name }) => compareTexts(name, source) < 0).length;
    // Between the last event of the sources before it and the first of those after it.
    if (known === undefined) return BigInt(before) * 2n * ORDINAL_RANGE - ORDINAL_RANGE;
    return BigInt(before) * 2n * ORDINAL_RANGE + BigInt(ordinal);
  }

  get #rankColumn(): string {
    const cases = [...this.#ranks].map(([id, rank]) => `WHEN ${id} THEN ${rank}`);
    return `(CASE source ${cases.join(' ')} END)`;
  }

  #rank(): void {
    this.#ranks = new Map(this.all.map(({ id }, rank) => [id, rank]));
  }
}

/** By bytes in UTF-8, as all engines compare texts. */
function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
