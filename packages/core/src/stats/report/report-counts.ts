import { toDollars, toMicros } from '../../money.ts';
import type { ReportGoalSums, ReportGroup, ReportInput, ReportSums, VisitorsBefore } from './report-input.ts';

/** Visitors and goal sums of one variation, or of its visitors in one stratum. */
export interface VisitorCounts {
  readonly key: string;
  readonly retired?: true;
  readonly visitors: number;
  readonly before: VisitorsBefore;
  readonly goals: ReadonlyMap<string, ReportGoalSums>;
}

export interface VariationCounts extends VisitorCounts {
  /** The same visitors by what they have in common; all variations have the same strata, in the same order. */
  readonly strata: readonly VisitorCounts[];
}

const NO_SUMS: ReportSums = {
  sum: 0,
  sumSquares: 0,
  covariateSum: 0,
  covariateSumSquares: 0,
  covariateProduct: 0,
};

export const noGoalSums = (goalId: string): ReportGoalSums => ({
  goalId,
  converted: 0,
  conversions: NO_SUMS,
  amount: NO_SUMS,
  convertedAmount: 0,
  convertedCovariate: 0,
});

export const NONE_BEFORE: VisitorsBefore = {
  known: 0,
  sessions: 0,
  sessionsSquares: 0,
  revenue: 0,
  revenueSquares: 0,
  knownRevenue: 0,
  product: 0,
};

type Counted = Pick<ReportInput, 'variations' | 'groups' | 'includeBots'>;

/** Bots count only if they are included. */
export const isCounted =
  ({ includeBots }: Pick<ReportInput, 'includeBots'>) =>
  (group: { bot: boolean }) =>
    includeBots || !group.bot;

export function countVisitors(input: Counted, matches: (group: ReportGroup) => boolean): number {
  return input.groups
    .filter(isCounted(input))
    .filter(matches)
    .reduce((sum, { visitors }) => sum + visitors, 0);
}

/** In the order of the variations, without visitors who saw several. A single pass, because there may be many groups. */
export function variationCounts(
  input: Counted,
  matches: (group: ReportGroup) => boolean = () => true,
): VariationCounts[] {
  const strata = new Map<string, Map<string, SummedCounts>>();
  const all = noCounts(input);
  for (const group of input.groups.filter(isCounted(input)).filter(matches)) {
    if (group.variationKey === null || group.moved) continue;
    const name = stratumOf(group);
    const stratum = strata.get(name) ?? noCounts(input);
    strata.set(name, stratum);
    for (const counts of [all, stratum]) {
      const own = counts.get(group.variationKey);
      if (own !== undefined) addGroup(own, group);
    }
  }
  const ordered = [...strata].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, stratum]) => stratum);
  return [...all.values()].map((counts) => ({
    ...counts,
    strata: ordered.map((stratum) => stratum.get(counts.key)!),
  }));
}

/**
 * Visitors of an earlier phase are compared among themselves: after a change of weights, a variation keeps more of them
 * than another, and they behave differently from new visitors.
 */
const stratumOf = ({ returning = false, segment = null, other = false }: ReportGroup) =>
  JSON.stringify([returning, segment, other]);

/** Without those of retired variations: no others enter them, so they would not be in proportion to the plan. */
export const totalVisitors = (counts: readonly { readonly visitors: number; readonly retired?: true }[]) =>
  counts.reduce((sum, { visitors, retired }) => (retired ? sum : sum + visitors), 0);

/** Counts that are summed up. */
interface SummedCounts {
  readonly key: string;
  readonly retired?: true;
  visitors: number;
  before: VisitorsBefore;
  readonly goals: Map<string, ReportGoalSums>;
}

function noCounts({ variations }: Pick<ReportInput, 'variations'>): Map<string, SummedCounts> {
  return new Map(
    variations.map(({ key, retired }) => [
      key,
      { key, ...(retired && { retired: true as const }), visitors: 0, before: NONE_BEFORE, goals: new Map() },
    ]),
  );
}

/** Zero counts by variation, to be summed up. */
export function noVariationCounts(input: Pick<ReportInput, 'variations'>) {
  return new Map([...noCounts(input)].map(([key, counts]) => [key, { ...counts, strata: [] }]));
}

function addGroup(own: SummedCounts, group: ReportGroup): void {
  own.visitors += group.visitors;
  if (group.before) own.before = addBefore(own.before, group.before);
  for (const sums of group.goals) own.goals.set(sums.goalId, addGoalSums(own.goals.get(sums.goalId), sums));
}

/** The same counts, with a stratum for each of the given lists. */
export function addCounts(all: readonly VisitorCounts[]): VisitorCounts {
  const { key } = all[0]!;
  const sum: SummedCounts = { key, visitors: 0, before: NONE_BEFORE, goals: new Map() };
  for (const counts of all) {
    sum.visitors += counts.visitors;
    sum.before = addBefore(sum.before, counts.before);
    for (const [id, sums] of counts.goals) sum.goals.set(id, addGoalSums(sum.goals.get(id), sums));
  }
  return sum;
}

const addBefore = (a: VisitorsBefore, b: VisitorsBefore): VisitorsBefore => ({
  known: a.known + b.known,
  sessions: a.sessions + b.sessions,
  sessionsSquares: a.sessionsSquares + b.sessionsSquares,
  revenue: a.revenue + b.revenue,
  revenueSquares: a.revenueSquares + b.revenueSquares,
  knownRevenue: a.knownRevenue + b.knownRevenue,
  product: a.product + b.product,
});

export function addGoalSums(first: ReportGoalSums | undefined, b: ReportGoalSums): ReportGoalSums {
  const a = first ?? noGoalSums(b.goalId);
  return {
    goalId: a.goalId,
    converted: a.converted + b.converted,
    conversions: addSums(a.conversions, b.conversions),
    amount: { ...addSums(a.amount, b.amount), sum: inMicros(a.amount.sum + b.amount.sum) },
    convertedAmount: inMicros(a.convertedAmount + b.convertedAmount),
    convertedCovariate: a.convertedCovariate + b.convertedCovariate,
    convertedKnown: add(a.convertedKnown, b.convertedKnown),
    convertedSessions: add(a.convertedSessions, b.convertedSessions),
    convertedRevenue: add(a.convertedRevenue, b.convertedRevenue),
  };
}

/** Rounds to whole micro-dollars, which removes floating-point errors of the addition. */
const inMicros = (dollars: number) => toDollars(toMicros(dollars));

const add = (a = 0, b = 0) => a + b;

const addSums = (a: ReportSums, b: ReportSums): ReportSums => ({
  sum: a.sum + b.sum,
  sumSquares: a.sumSquares + b.sumSquares,
  covariateSum: a.covariateSum + b.covariateSum,
  covariateSumSquares: a.covariateSumSquares + b.covariateSumSquares,
  covariateProduct: a.covariateProduct + b.covariateProduct,
  knownSum: add(a.knownSum, b.knownSum),
  sessionsProduct: add(a.sessionsProduct, b.sessionsProduct),
  revenueProduct: add(a.revenueProduct, b.revenueProduct),
  covariateKnown: add(a.covariateKnown, b.covariateKnown),
  covariateSessions: add(a.covariateSessions, b.covariateSessions),
  covariateRevenue: add(a.covariateRevenue, b.covariateRevenue),
});

/** By variation. */
export function exposureCounts(input: ReportInput): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { variationKey, exposures } of input.exposures.filter(isCounted(input))) {
    counts.set(variationKey, (counts.get(variationKey) ?? 0) + exposures);
  }
  return counts;
}

/** Bots by variation. */
export function botCounts({ groups }: ReportInput): ReadonlyMap<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const { variationKey, visitors } of groups.filter(({ bot, moved = false }) => bot && !moved)) {
    counts.set(variationKey, (counts.get(variationKey) ?? 0) + visitors);
  }
  return counts;
}

/** All visitors by what they saw first, even those who saw several variations: nothing but the split decides this. */
export function firstCounts(input: Counted): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { variationKey, firstVariationKey = variationKey, visitors } of input.groups.filter(
    isCounted(input),
  )) {
    if (firstVariationKey !== null)
      counts.set(firstVariationKey, (counts.get(firstVariationKey) ?? 0) + visitors);
  }
  return counts;
}
