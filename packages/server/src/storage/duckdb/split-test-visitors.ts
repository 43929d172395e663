import type { SplitTestQuery } from '../event-store.ts';
import type { QuestionContext } from './question.ts';
import { NAMES } from './session-visitors.ts';
import { SqlValues } from './sql.ts';

/** Bits that mark bots and early visitors; variations have the bits below. */
const BOT_BIT = 61;
const EARLY_BIT = 60;
const BOT = 1n << BigInt(BOT_BIT);
const EARLY = 1n << BigInt(EARLY_BIT);
const MARKS = BOT | EARLY;

/** Attributes that the session knows, whatever the exposure says. */
const SESSION_ATTRIBUTES = new Set(['country', 'device', 'browser', 'os']);

export type VisitorsQuery = Pick<
  SplitTestQuery,
  'propertyId' | 'splitTestKey' | 'variationKeys' | 'phase' | 'from' | 'to' | 'by'
> & { earlyUntil?: number };

/** What a group of visitors saw, from the bits of it. */
export interface SeenBits {
  variationKey: string | null;
  bot: boolean;
  early: boolean;
}

/**
 * SQL for the visitors of one phase of a test: `seen` has a row per exposure with its visitor (`unit`), a bit for
 * what was shown, and the time; `renamed` has the visitor of the sessions whose rows do not tell it.
 */
export class SplitTestVisitors {
  readonly values = new SqlValues();
  readonly property: string;
  readonly isSegmented: boolean;
  readonly #query: VisitorsQuery;
  readonly #variations: (number | undefined)[];
  readonly #test: string;

  /** Undefined when nothing of the test was ever stored. */
  static of({ terms }: QuestionContext, query: VisitorsQuery): SplitTestVisitors | undefined {
    const property = terms.find(query.propertyId);
    const test = terms.find(query.splitTestKey);
    const variations = query.variationKeys.map((key) => terms.find(key));
    if (property === undefined || test === undefined || variations.every((id) => id === undefined)) {
      return undefined;
    }
    return new SplitTestVisitors(query, property, test, variations);
  }

  private constructor(
    query: VisitorsQuery,
    property: number,
    test: number,
    variations: (number | undefined)[],
  ) {
    this.#query = query;
    this.#variations = variations;
    this.property = this.values.add(property);
    this.#test = this.values.add(test);
    this.isSegmented = query.by !== undefined;
  }

  /** Common table expressions; `unresolved` names further sessions whose visitor has to be looked up. */
  tables(unresolved: readonly string[] = []): string {
    const lookUps = [
      `SELECT session_key FROM collects WHERE property = ${this.property} AND names = ${NAMES.other}`,
      `SELECT session_key FROM exposures WHERE ${this.exposed} AND unit_key IS NULL`,
      ...unresolved,
    ];
    const clients = this.#clients;
    return `renamed AS (
        SELECT session_key, arg_max(visitor_key, seq) AS visitor_key FROM collects
        WHERE property = ${this.property} AND names <> ${NAMES.same}
          AND session_key IN (${lookUps.join(' UNION ALL ')})
        GROUP BY session_key),
      ${clients ? `clients AS (${clients}),` : ''}
      seen AS (
        SELECT coalesce(visitor_key, unit_key, session_key) AS unit, ${this.bits} AS bits,
               least(happened_at, received_at) AS seen_at, ${this.#segment} AS segment
        FROM exposures LEFT JOIN renamed USING (session_key) ${clients ? 'LEFT JOIN clients USING (session_key)' : ''}
        WHERE ${this.exposed})`;
  }

  /** One row per visitor; `WHERE` is the filter on `seen`. */
  units(where = ''): string {
    const segment = this.isSegmented
      ? ', arg_min(segment, (seen_at, segment)) AS segment'
      : ', NULL AS segment';
    return `SELECT unit, bit_or(bits) AS bits, min(seen_at) AS first_at${segment}
            FROM seen ${where} GROUP BY unit`;
  }

  /** True for visitors of a single variation. */
  readonly isPure = `bit_count(bits & ${EARLY - 1n}) = 1`;

  read(bits: bigint): SeenBits {
    const shown = bits & ~MARKS;
    const index = this.#query.variationKeys.findIndex((_, at) => shown === 1n << BigInt(at));
    return {
      variationKey: this.#query.variationKeys[index] ?? null,
      bot: (bits & BOT) !== 0n,
      early: (bits & EARLY) !== 0n,
    };
  }

  /** Condition on `exposures`. */
  get exposed(): string {
    const { phase, from, to } = this.#query;
    const ids = this.#variations.filter((id) => id !== undefined);
    return `property = ${this.property} AND split_test = ${this.#test} AND variation IN (${ids.join(', ')})
      AND (phase = ${phase} OR (phase IS NULL AND happened_at >= ${from} AND happened_at < ${to}))`;
  }

  /** What one exposure showed. */
  get bits(): string {
    const cases = this.#variations.flatMap((id, at) =>
      id === undefined ? [] : [`WHEN ${id} THEN 1::BIGINT << ${at}`],
    );
    const mark = (condition: string, bit: bigint) => `(CASE WHEN ${condition} THEN ${bit} ELSE 0 END)`;
    const isEarly = `least(happened_at, received_at) < ${this.#query.earlyUntil ?? 0}`;
    return `((CASE variation ${cases.join(' ')} END) | ${mark('bot', BOT)} | ${mark(isEarly, EARLY)})`;
  }

  get #segment(): string {
    const { by } = this.#query;
    if (by === undefined) return 'NULL';
    // A client that says it itself knows better than the header fields of its requests.
    const own = `json_extract_string(attributes, ${this.#path})`;
    return SESSION_ATTRIBUTES.has(by) ? `coalesce(${own}, client)` : own;
  }

  get #clients(): string | undefined {
    const { by } = this.#query;
    if (by === undefined || !SESSION_ATTRIBUTES.has(by)) return undefined;
    return `SELECT session_key, nullif(text, 'unknown') AS client
            FROM (SELECT session_key, arg_max(${by}, seq) AS term FROM collects
                  WHERE property = ${this.property} GROUP BY session_key)
            JOIN terms ON terms.id = term`;
  }

  #pathPlace: string | undefined;
  get #path(): string {
    this.#pathPlace ??= this.values.add(`$.${JSON.stringify(this.#query.by)}`);
    return this.#pathPlace;
  }
}
