import { DAY_MS } from '@switchyard/core/time';
import type { AcceptedConversion, AcceptedRequest } from '../../accepted-request.ts';
import type {
  GoalSums,
  SplitTestQuery,
  ValueSums,
  VisitorGroup,
  VisitorsBefore,
} from '../../split-test-queries.ts';
import {
  exposuresTo,
  isCounted,
  isInWindow,
  type NaiveFacts,
  unitOf,
  type Visitor,
} from '../naive-visitors.contract.ts';

type Conversion = Pick<AcceptedConversion, 'receivedAt' | 'direction' | 'amountMicros'>;
export type Matches = (it: AcceptedRequest) => boolean;

export function conversionsOf(
  facts: NaiveFacts,
  unit: string,
  matches: Matches,
  kind: SplitTestQuery['unit'] = 'visitor',
): Conversion[] {
  return facts.requests.flatMap((it): Conversion[] => {
    if ((it.kind !== 'conversion' && it.kind !== 'feedback') || !matches(it)) return [];
    const { sessionId, receivedAt } = it;
    if (sessionId === undefined || unitOf(facts, sessionId, kind) !== unit) return [];
    return it.kind === 'conversion' ? [it] : [{ receivedAt, direction: 1, amountMicros: 0 }];
  });
}

/** Net count and dollars. */
export const net = (list: Conversion[]) => ({
  n: list.reduce((sum, it) => sum + it.direction, 0),
  a: list.reduce((sum, it) => sum + it.amountMicros, 0) / 1e6,
});

/** The id of a goal, or of feedback that is counted like one, and which events count for it. */
type CountedGoal = [goalId: string, matches: Matches];

function goalsOf({ goalIds, feedback = [] }: SplitTestQuery): CountedGoal[] {
  const goals = goalIds.map((id): CountedGoal => [id, (it) => it.kind === 'conversion' && it.goalId === id]);
  const answers = feedback.map(
    ({ goalId, feedbackTypeId: type, option }): CountedGoal => [
      goalId,
      (it) =>
        it.kind === 'feedback' &&
        it.feedbackTypeId === type &&
        (option === undefined || it.option === option),
    ],
  );
  return [...goals, ...answers];
}

/** What a visitor did for a goal: after entering the phase, and in the days before the first exposure (`n0`, `a0`). */
interface Outcome {
  n: number;
  a: number;
  n0: number;
  a0: number;
}

/** What a visitor did in the days before the first exposure: number of sessions, dollars. */
interface Before {
  sessions: number;
  revenue: number;
}

/** What the visitors of a phase did, by goal. */
export class NaiveOutcomes {
  readonly #facts: NaiveFacts;
  readonly #query: SplitTestQuery;
  readonly #goals: { goalId: string; outcomes: Map<Visitor, Outcome>; caps: { n: number; a: number } }[];

  constructor(facts: NaiveFacts, query: SplitTestQuery, visitors: readonly Visitor[]) {
    this.#facts = facts;
    this.#query = query;
    this.#goals = goalsOf(query).map(([goalId, matches]) => {
      const outcomes = new Map(
        visitors.filter(isCounted).flatMap((visitor): [Visitor, Outcome][] => {
          const outcome = this.#outcomeOf(visitor, matches);
          return outcome ? [[visitor, outcome]] : [];
        }),
      );
      const capOf = (name: 'n' | 'a') =>
        quantile(
          [...outcomes].filter(([{ bot }]) => !bot).map(([, outcome]) => outcome[name]),
          query.winsorize,
        );
      return { goalId, outcomes, caps: { n: capOf('n'), a: capOf('a') } };
    });
  }

  addTo(group: VisitorGroup, visitor: Visitor): void {
    const before = this.#before(visitor);
    if (this.#query.preDays > 0) {
      group.before ??= {
        known: 0,
        sessions: 0,
        sessionsSquares: 0,
        revenue: 0,
        revenueSquares: 0,
        knownRevenue: 0,
        product: 0,
      };
      addBefore(group.before, before);
    }
    for (const { goalId, outcomes, caps } of this.#goals) {
      const outcome = outcomes.get(visitor);
      if (!outcome) continue;
      let sums = group.goals.find((it) => it.goalId === goalId);
      if (!sums) {
        sums = emptySums(goalId);
        group.goals.push(sums);
      }
      this.#addGoal(sums, outcome, caps, before);
    }
  }

  #addGoal(sums: GoalSums, outcome: Outcome, caps: { n: number; a: number }, before: Before): void {
    const { revenueGoalIds = [] } = this.#query;
    const clip = (value: number, cap: number) => Math.min(cap, Math.max(-cap, value));
    const [n, n0] = [clip(outcome.n, caps.n), clip(outcome.n0, caps.n)];
    const [a, a0] = [clip(outcome.a, caps.a), clip(outcome.a0, caps.a)];
    if ((revenueGoalIds.includes(sums.goalId) && outcome.a !== 0 ? outcome.a : outcome.n) > 0) {
      sums.converted++;
      sums.convertedAmount += a;
      sums.convertedCovariate += n0;
      sums.convertedKnown += before.sessions > 0 ? 1 : 0;
      sums.convertedSessions += before.sessions;
      sums.convertedRevenue += before.revenue;
    }
    addValue(sums.conversions, n, n0, before);
    addValue(sums.amount, a, a0, before);
  }

  /** Undefined without any counted event. */
  #outcomeOf(visitor: Visitor, matches: Matches): Outcome | undefined {
    const all = conversionsOf(this.#facts, visitor.unit, matches, this.#query.unit);
    const after = all.filter(({ receivedAt }) => isInWindow(visitor, receivedAt, this.#query));
    const before = all.filter(({ receivedAt }) => this.#isBefore(visitor, receivedAt));
    if (after.length + before.length === 0) return undefined;
    const { n: n0, a: a0 } = net(before);
    return { ...net(after), n0, a0 };
  }

  #before(visitor: Visitor): Before {
    const { unit, covariateGoalIds = [] } = this.#query;
    const isRevenue: Matches = (it) => it.kind === 'conversion' && covariateGoalIds.includes(it.goalId);
    const revenue = conversionsOf(this.#facts, visitor.unit, isRevenue, unit).filter(({ receivedAt }) =>
      this.#isBefore(visitor, receivedAt),
    );
    const exposed = new Set(this.#allExposures.map(({ sessionId }) => sessionId));
    const sessions = this.#facts.sessions.filter(
      ({ sessionId, startedAt }) =>
        !exposed.has(sessionId) &&
        unitOf(this.#facts, sessionId, unit) === visitor.unit &&
        this.#isBefore(visitor, startedAt),
    );
    return { sessions: sessions.length, revenue: net(revenue).a };
  }

  /** In the days before the first exposure to any phase of the test or a related one. */
  #isBefore(visitor: Visitor, at: number): boolean {
    const { unit, preDays } = this.#query;
    const own = this.#allExposures.filter((it) => unitOf(this.#facts, it.sessionId, unit) === visitor.unit);
    const firstEver = Math.min(...own.map(({ seenAt }) => seenAt));
    return at < firstEver && at >= firstEver - preDays * DAY_MS;
  }

  /** Exposures to any variation of the test or a related one. */
  get #allExposures() {
    const { splitTestKey, beganAt, relatedTests = [] } = this.#query;
    this.#exposures ??= [
      ...exposuresTo(this.#facts, splitTestKey, beganAt),
      ...relatedTests.flatMap((key) => exposuresTo(this.#facts, key)),
    ];
    return this.#exposures;
  }
  #exposures: ReturnType<typeof exposuresTo> | undefined;
}

/** The quantile of the absolute values that are not zero; infinity if there are none. */
function quantile(values: readonly number[], share: number | undefined): number {
  const sizes = values
    .map(Math.abs)
    .filter((it) => it !== 0)
    .sort((a, b) => a - b);
  if (share === undefined || sizes.length === 0) return Number.POSITIVE_INFINITY;
  return sizes[Math.max(1, Math.ceil(sizes.length * share - 1e-9)) - 1]!;
}

function addBefore(sums: VisitorsBefore, { sessions, revenue }: Before): void {
  sums.known += sessions > 0 ? 1 : 0;
  sums.sessions += sessions;
  sums.sessionsSquares += sessions ** 2;
  sums.revenue += revenue;
  sums.revenueSquares += revenue ** 2;
  sums.knownRevenue += sessions > 0 ? revenue : 0;
  sums.product += sessions * revenue;
}

function addValue(sums: ValueSums, value: number, covariate: number, { sessions, revenue }: Before): void {
  const known = sessions > 0 ? 1 : 0;
  sums.sum += value;
  sums.sumSquares += value * value;
  sums.covariateSum += covariate;
  sums.covariateSumSquares += covariate * covariate;
  sums.covariateProduct += value * covariate;
  sums.knownSum += value * known;
  sums.sessionsProduct += value * sessions;
  sums.revenueProduct += value * revenue;
  sums.covariateKnown += covariate * known;
  sums.covariateSessions += covariate * sessions;
  sums.covariateRevenue += covariate * revenue;
}

const zeroSums = (): ValueSums => ({
  sum: 0,
  sumSquares: 0,
  covariateSum: 0,
  covariateSumSquares: 0,
  covariateProduct: 0,
  knownSum: 0,
  sessionsProduct: 0,
  revenueProduct: 0,
  covariateKnown: 0,
  covariateSessions: 0,
  covariateRevenue: 0,
});

const emptySums = (goalId: string): GoalSums => ({
  goalId,
  converted: 0,
  conversions: zeroSums(),
  amount: zeroSums(),
  convertedAmount: 0,
  convertedCovariate: 0,
  convertedKnown: 0,
  convertedSessions: 0,
  convertedRevenue: 0,
});
