import { MICROS } from '@switchyard/core/money';
import {
  type AssignmentCounts,
  type AssignmentQuery,
  groupKeys,
  groupOf,
} from '../../../store/assignment-queries.ts';
import type { GoalSums } from '../../../store/split-test-queries.ts';
import { chunksOf, rowsOf } from '../../connection/sql.ts';
import { botTerm } from '../bot-sessions.ts';
import { type GoalTerm, goalTermsOf, isConverted } from '../goals/goal-terms.ts';
import type { QueryContext } from '../query-context.ts';

/** A visitor's conversions of a goal; without a goal, the visitor. Amounts are in micro-dollars. */
type Outcome = [visitorId: string, goal: number | null, n: number, a: number, converted: boolean];

/**
 * Counts visitors by the group they would be in. The engine does not know our hash, so it streams the visitors, and
 * they are assigned here, a chunk at a time: between chunks, the thread stores events.
 */
export async function assignmentCounts(
  context: QueryContext,
  query: AssignmentQuery,
): Promise<AssignmentCounts> {
  const goals = goalTermsOf(context, query);
  const property = context.terms.find(query.propertyId);
  const counts = groupKeys(query.split).map((key) => ({
    key,
    visitors: 0,
    sums: new Map(goals.map(({ term }) => [term, new OutcomeSums()])),
  }));
  const parts = property === undefined ? 1 : await partsOf(context, query, property);
  if (property !== undefined) {
    const statement = visitorStatement({
      ...query,
      property,
      goals,
      parts,
      namingCollects: context.namingCollects,
      bot: botTerm(context.terms),
      order: context.sources.collectOrder,
    });
    for await (const chunk of chunksOf<Outcome>(context.connection, statement)) {
      context.signal?.throwIfAborted();
      for (const [visitorId, goal, n, a, converted] of chunk) {
        const index = groupOf(query.split, visitorId);
        if (index < 0) continue;
        if (goal === null) counts[index]!.visitors += 1;
        else counts[index]!.sums.get(goal)!.add(n, a, converted);
      }
    }
  }
  return {
    share: 1 / parts,
    groups: counts.map(({ key, visitors, sums }) => ({
      key,
      visitors,
      goals: goals.map(({ goalId, term }) => sums.get(term)!.of(goalId)),
    })),
  };
}

/** The visitors are counted in one of this many equal parts; a power of two. */
async function partsOf(
  { connection }: QueryContext,
  { from, to, maxSessions }: AssignmentQuery,
  property: number,
): Promise<number> {
  const [row] = await rowsOf<[bigint]>(
    connection,
    `SELECT count(*) FROM sessions WHERE ${startedCondition({ property, from, to })}`,
  );
  return 2 ** Math.max(0, Math.ceil(Math.log2(Number(row![0]) / maxSessions)));
}

const startedCondition = ({ property, from, to }: { property: number; from: number; to: number }) =>
  `property = ${property} AND started_at >= ${from} AND started_at < ${to}`;

interface Scope extends Pick<AssignmentQuery, 'from' | 'to'> {
  property: number;
  goals: readonly GoalTerm[];
  parts: number;
  /** SQL for the order of collects. */
  order: string;
  namingCollects: string;
  /** Term of the device of crawlers. */
  bot: number;
}

/** Visitor keys come from a hash with a secret key, so a part of them is a random sample. */
function visitorStatement(scope: Scope): string {
  const { property, from, to, goals, parts, order, namingCollects, bot } = scope;
  const inPart = parts === 1 ? 'true' : `(visitor_key & ${parts - 1}) = 0`;
  const named = `property = ${property} AND ${namingCollects}`;
  // Every collect of a session ends after the session started.
  const crawlers = `SELECT session_key FROM collects
    WHERE property = ${property} AND device = ${bot} AND seen_until >= ${from}`;
  // A sample is taken before the visitors are looked up, so that its cost does not grow with the traffic.
  const candidates =
    parts === 1
      ? 'SELECT session_key FROM started UNION ALL SELECT session_key FROM reached'
      : `SELECT session_key FROM collects WHERE ${named} AND ${inPart}`;
  const terms = goals.length === 0 ? 'NULL' : goals.map(({ term }) => term).join(', ');
  return `WITH started AS (
      SELECT session_key, started_at, session_key IN (${crawlers}) AS is_bot FROM sessions
      WHERE ${startedCondition({ property, from, to })}),
    reached AS (
      SELECT session_key, goal, happened_at, direction, amount_micros FROM conversions
      WHERE property = ${property} AND goal IN (${terms}) AND session_key IS NOT NULL
        AND happened_at >= ${from} AND happened_at < ${to}),
    session_visitors AS MATERIALIZED (
      SELECT session_key, arg_max(visitor_key, ${order}) AS visitor_key FROM collects
      WHERE ${named} AND session_key IN (${candidates})
      GROUP BY session_key),
    units AS MATERIALIZED (
      SELECT visitor_key, min(started_at) AS first_at FROM started JOIN session_visitors USING (session_key)
      WHERE ${inPart} GROUP BY visitor_key HAVING NOT bool_or(is_bot)),
    ids AS MATERIALIZED (
      SELECT DISTINCT visitor_key, visitor_id FROM collects SEMI JOIN units USING (visitor_key) WHERE ${named}),
    outcomes AS (
      SELECT visitor_key, goal, sum(direction)::DOUBLE AS n, sum(amount_micros)::DOUBLE AS a
      FROM reached JOIN session_visitors USING (session_key) JOIN units USING (visitor_key)
      WHERE happened_at >= first_at GROUP BY visitor_key, goal)
    SELECT visitor_id, NULL AS goal, 0::DOUBLE AS n, 0::DOUBLE AS a, false AS converted FROM ids
    UNION ALL
    SELECT visitor_id, goal, n, a, ${isConverted(goals, 'n', 'a')} FROM outcomes JOIN ids USING (visitor_key)`;
}

/** Amounts are in micro-dollars. */
class OutcomeSums {
  #converted = 0;
  #convertedMicros = 0;
  readonly #counts = { sum: 0, sumSquares: 0 };
  readonly #micros = { sum: 0, sumSquares: 0 };

  add(n: number, a: number, converted: boolean): void {
    if (converted) {
      this.#converted += 1;
      this.#convertedMicros += a;
    }
    this.#counts.sum += n;
    this.#counts.sumSquares += n * n;
    this.#micros.sum += a;
    this.#micros.sumSquares += a * a;
  }

  of(goalId: string): GoalSums {
    const { sum, sumSquares } = this.#micros;
    return {
      goalId,
      converted: this.#converted,
      conversions: { ...NO_COVARIATE, ...this.#counts },
      amount: { ...NO_COVARIATE, sum: sum / MICROS, sumSquares: sumSquares / MICROS ** 2 },
      convertedAmount: this.#convertedMicros / MICROS,
      convertedCovariate: 0,
      convertedKnown: 0,
      convertedSessions: 0,
      convertedRevenue: 0,
    };
  }
}

const NO_COVARIATE = {
  covariateSum: 0,
  covariateSumSquares: 0,
  covariateProduct: 0,
  knownSum: 0,
  sessionsProduct: 0,
  revenueProduct: 0,
  covariateKnown: 0,
  covariateSessions: 0,
  covariateRevenue: 0,
};
