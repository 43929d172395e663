import { DAY_MS } from '@switchyard/core/time';
import type { SplitTestQuery } from '../../../store/split-test-queries.ts';
import type { VisitorKinds } from './visitor-kinds.ts';

/** Term ids of the property, the test and its related tests. */
export interface TestTerms {
  property: number;
  test: number;
  related: readonly number[];
}

export type PhaseQuery = Pick<
  SplitTestQuery,
  'phase' | 'from' | 'to' | 'beganAt' | 'endsAt' | 'until' | 'hasEarlierPhases' | 'hasLaterPhases'
> & {
  /** With it, the first exposure to any phase, or to a related test, is needed. */
  preDays: number;
};

/** When a visitor saw the test: clocks of clients may be ahead. */
export const SEEN_AT = 'least(happened_at, received_at)';
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * SQL for the exposures that the visitors of a phase are counted from. Those in the phase itself suffice, and only they
 * are read, for a test with one phase and without covariates.
 */
export class PhaseExposures {
  readonly #terms: TestTerms;
  readonly #query: PhaseQuery;
  readonly #kinds: VisitorKinds;

  constructor(terms: TestTerms, query: PhaseQuery, kinds: VisitorKinds) {
    this.#terms = terms;
    this.#query = query;
    this.#kinds = kinds;
  }

  /** Condition: counts in the phase. */
  get inPhase(): string {
    const { phase, from, to } = this.#query;
    return `property = ${this.#terms.property} AND ${this.#isOfTest} AND ${this.#kinds.isKnown}
      AND (phase = ${phase} OR (phase IS NULL AND happened_at >= ${from} AND happened_at < ${to}))${this.#inTime}`;
  }

  /** Condition: is read to count visitors. */
  get isRead(): string {
    if (this.isNarrow) return this.inPhase;
    if (this.#query.preDays > 0) return this.isRelated;
    return `property = ${this.#terms.property} AND ${this.#isOfTest}`;
  }

  /** Condition: shows the test or a related one. */
  get isRelated(): string {
    const { property, related } = this.#terms;
    const isOther = related.length > 0 ? ` OR split_test IN (${related.join(', ')})` : '';
    return `property = ${property} AND (${this.#isOfTest}${isOther})`;
  }

  get isNarrow(): boolean {
    const { hasEarlierPhases, hasLaterPhases, preDays } = this.#query;
    return !hasEarlierPhases && !hasLaterPhases && preDays === 0;
  }

  /** SQL for a value of exposures in the phase; null for others. */
  own(value: string): string {
    return this.isNarrow ? value : `(CASE WHEN ${this.inPhase} THEN ${value} END)`;
  }

  /** Columns of an exposure. */
  get columns(): string[] {
    const { hasEarlierPhases, hasLaterPhases } = this.#query;
    const columns = [
      `${SEEN_AT} AS seen_at`,
      `${this.own(this.#kinds.bits)} AS bits`,
      `${this.own(this.#kinds.entry(SEEN_AT))} AS entry`,
    ];
    if (hasEarlierPhases) {
      columns.push(`(CASE WHEN ${this.#isEarlier} THEN ${this.#kinds.earlierBits} END) AS earlier`);
    }
    if (hasLaterPhases) columns.push(`(CASE WHEN ${this.#isLater} THEN ${SEEN_AT} END) AS later_at`);
    return columns;
  }

  /**
   * SQL that combines the exposures of a visitor: the kind. Without `withMixed`, for visitors who saw one variation: a
   * further aggregate takes a tenth of the time.
   */
  kind(withMixed: boolean): string {
    const earlier = this.#query.hasEarlierPhases ? 'coalesce(bit_or(earlier), 0)' : undefined;
    return this.#kinds.kind('bit_or(bits)', withMixed ? 'min(entry)' : undefined, earlier);
  }

  /** The same for when the visitor entered and left the phase, and the first exposure ever. */
  times(withMixed: boolean): string {
    const { hasLaterPhases, preDays } = this.#query;
    const isEntry = withMixed || !this.isNarrow;
    return [
      `${isEntry ? this.#kinds.timeOf('min(entry)') : 'min(seen_at)'} AS first_at`,
      ...(hasLaterPhases ? [`coalesce(min(later_at), ${NEVER}) AS left_at`] : []),
      ...(preDays > 0 ? ['min(seen_at) AS first_ever'] : []),
    ].join(', ');
  }

  /** Without visitors who have not entered the phase. */
  get having(): string {
    return this.isNarrow ? '' : 'HAVING min(entry) IS NOT NULL';
  }

  /** Condition on a visitor and a time before `until`: what happens then counts for the phase. */
  get inWindow(): string {
    return `happened_at >= first_at${this.#query.hasLaterPhases ? ' AND happened_at < left_at' : ''}`;
  }

  /** Condition on a visitor and a time: in the days before the first exposure ever. */
  isBefore(time: string): string {
    return `(${time} < first_ever AND ${time} >= first_ever - ${this.#query.preDays * DAY_MS})`;
  }

  get #isOfTest(): string {
    const { beganAt } = this.#query;
    return `split_test = ${this.#terms.test}${beganAt === undefined ? '' : ` AND happened_at >= ${beganAt}`}`;
  }

  /** What earlier phases send after the end of this one does not change it either. */
  get #isEarlier(): string {
    const { phase, from } = this.#query;
    return `split_test = ${this.#terms.test}
      AND (phase < ${phase} OR (phase IS NULL AND happened_at < ${from}))${this.#inTime}`;
  }

  /** Also if it is received late, so that a conversion never counts in two phases. */
  get #isLater(): string {
    const { phase, to } = this.#query;
    return `split_test = ${this.#terms.test} AND (phase > ${phase} OR (phase IS NULL AND happened_at >= ${to}))`;
  }

  get #inTime(): string {
    const { endsAt, until } = this.#query;
    const isBefore = endsAt < NEVER ? ` AND (happened_at < ${endsAt} OR received_at < ${endsAt})` : '';
    return until < NEVER ? `${isBefore} AND received_at < ${until}` : isBefore;
  }
}
