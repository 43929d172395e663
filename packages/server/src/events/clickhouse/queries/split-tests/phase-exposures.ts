import type { SplitTestPhase, SplitTestQuery } from '../../../store/split-test-queries.ts';
import type { SqlValues } from '../../connection/sql-values.ts';

export type PhaseQuery = SplitTestPhase & Pick<SplitTestQuery, 'relatedTests'>;

/**
 * What a row is: no exposure, an exposure of the phase, of an earlier or a later phase, or any other exposure to the test
 * or a related one.
 */
export const KIND = { event: 0, own: 1, earlier: 2, later: 3, other: 4 } as const;

/** Exposures that a statement needs in addition to those of the phase. */
export interface MoreExposures {
  earlier?: boolean;
  later?: boolean;
  /** All of the test and of related tests. */
  all?: boolean;
}

/** SQL for the time of an exposure: clocks of clients can be ahead. */
export const SEEN_AT = 'least(happened_at, received_at)';

/** Later than any event. */
export const NO_END = Number.MAX_SAFE_INTEGER;

/** SQL for the exposures that matter to a phase of a test. */
export class PhaseExposures {
  /** Position of the variation of an exposure in the query, from 1; 0 if it is not there. */
  readonly position: string;
  readonly #property: string;
  readonly #test: string;
  readonly #related: string | undefined;
  readonly #own: string;
  readonly #earlier: string;
  readonly #later: string;

  /** @param property condition on the property */
  constructor(values: SqlValues, property: string, query: PhaseQuery) {
    const { relatedTests = [], beganAt, endsAt, until } = query;
    const variations = values.texts(query.variationKeys);
    const [phase, from, to] = [query.phase, query.from, query.to].map((value) => values.integer(value));
    this.position = `toUInt8(indexOf(${variations}, variation))`;
    this.#property = property;
    const isOfIt = beganAt === undefined ? '' : ` AND happened_at >= ${values.integer(beganAt)}`;
    this.#test = `(split_test = ${values.text(query.splitTestKey)}${isOfIt})`;
    if (relatedTests.length > 0) this.#related = `split_test IN ${values.texts(relatedTests)}`;
    // Most phases are running, and planning each condition takes time.
    const isInTime = [
      ...(until < NO_END ? [`received_at < ${values.integer(until)}`] : []),
      ...(endsAt < NO_END ? [`${SEEN_AT} < ${values.integer(endsAt)}`] : []),
    ].map((condition) => `${condition} AND `);
    this.#own = `(${isInTime.join('')}has(${variations}, variation)
      AND (phase = ${phase} OR (phase IS NULL AND happened_at >= ${from} AND happened_at < ${to})))`;
    this.#earlier = `(${isInTime.join('')}(phase < ${phase} OR (phase IS NULL AND happened_at < ${from})))`;
    // Also those received late, so that a conversion never counts in two phases.
    this.#later = `(phase > ${phase} OR (phase IS NULL AND happened_at >= ${to}))`;
  }

  /** Condition on `exposures`: those of the phase or, if more are needed, all of the test, whose kind tells what they are. */
  where(more: MoreExposures = {}): string {
    if (!isMore(more)) return `${this.#property} AND ${this.#test} AND ${this.#own}`;
    const isRelated = more.all && this.#related !== undefined ? ` OR ${this.#related}` : '';
    return `${this.#property} AND (${this.#test}${isRelated})`;
  }

  /** The `KIND` of an exposure that matches `where`. */
  kind(more: MoreExposures = {}): string {
    if (!isMore(more)) return `${KIND.own}`;
    const kinds = [
      ...(more.all && this.#related !== undefined ? [`NOT ${this.#test}, ${KIND.other}`] : []),
      `${this.#own}, ${KIND.own}`,
      ...(more.earlier ? [`${this.#earlier}, ${KIND.earlier}`] : []),
      ...(more.later ? [`${this.#later}, ${KIND.later}`] : []),
    ];
    return `multiIf(${kinds.join(', ')}, ${KIND.other})`;
  }
}

const isMore = ({ earlier, later, all }: MoreExposures) => earlier || later || all;
