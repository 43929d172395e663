import type { DuckDBConnection } from '@duckdb/node-api';
import { rowsOf } from '../../connection/sql.ts';
import type { SplitTestVisitors } from './split-test-visitors.ts';

/** Visitors are spread evenly over the parts, so the overall largest segments are among the largest of each part. */
const CANDIDATES_PER_PART = 1000;

/** SQL that counts the largest segments separately and combines the others; no-op for unsegmented queries. */
export class LargestSegments {
  readonly #visitors: SplitTestVisitors;
  readonly #max: number;
  #listed: string | undefined;

  constructor(visitors: SplitTestVisitors, max: number) {
    this.#visitors = visitors;
    this.#max = max;
  }

  /** With several parts, no statement sees all visitors, so the largest segments are determined first. */
  async findInParts(connection: DuckDBConnection, parts: number): Promise<void> {
    const sizes = new Map<string, number>();
    for (let index = 0; index < parts; index++) {
      this.#visitors.part = { index, of: parts };
      const rows = await rowsOf<[string, bigint]>(
        connection,
        `WITH ${this.#visitors.tables}, units AS (${this.#visitors.countedUnits()}) ${this.#bySize(CANDIDATES_PER_PART)}`,
        this.#visitors.values.list,
      );
      for (const [segment, size] of rows) sizes.set(segment, (sizes.get(segment) ?? 0) + Number(size));
    }
    const placeholders = [...sizes]
      .sort(([left, one], [right, other]) => other - one || (left < right ? -1 : 1))
      .slice(0, this.#max)
      .map(([segment]) => this.#visitors.values.add(segment));
    this.#listed = `SELECT unnest([${placeholders.join(', ')}]::VARCHAR[]) AS segment_name`;
  }

  /** Common table expressions that follow `units`. */
  get tables(): string {
    if (!this.#visitors.segments.isSegmented) return '';
    return `, largest AS MATERIALIZED (${this.#listed ?? this.#bySize(this.#max)})`;
  }

  /** Joins a table that has the column `segment` with the largest segments. */
  joined(table: string): string {
    return this.#visitors.segments.isSegmented
      ? `${table} LEFT JOIN largest ON segment = segment_name`
      : table;
  }

  /** Columns of the join; the name is null for all other segments and for unknown values. */
  get columns(): string {
    return this.#visitors.segments.isSegmented
      ? 'segment_name, segment IS NOT NULL AND segment_name IS NULL AS is_other'
      : 'NULL AS segment_name, false AS is_other';
  }

  /** By the number of visitors that count for results, without bots. */
  #bySize(limit: number): string {
    const { isCounted, isBot } = this.#visitors.kinds;
    return `SELECT segment AS segment_name, count(*) FILTER (${isCounted} AND NOT ${isBot}) AS size
            FROM units WHERE segment IS NOT NULL
            GROUP BY segment ORDER BY size DESC, segment LIMIT ${limit}`;
  }
}
