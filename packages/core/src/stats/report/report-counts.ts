import { toDollars, toMicros } from '../../money.ts';
import type { ReportGoalSums, ReportInput, ReportSums } from './report-input.ts';

/** Visitors and goal sums of one variation. */
export interface VariationCounts {
  readonly key: string;
  readonly visitors: number;
  readonly goals: ReadonlyMap<string, ReportGoalSums>;
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

type Group = ReportInput['groups'][number];

/** Bots count only if they are included. */
export const isCounted =
  ({ includeBots }: ReportInput) =>
  (group: { bot: boolean }) =>
    includeBots || !group.bot;

export function countVisitors(input: ReportInput, matches: (group: Group) => boolean): number {
  return input.groups
    .filter(isCounted(input))
    .filter(matches)
    .reduce((sum, { visitors }) => sum + visitors, 0);
}

/** In the order of the variations. A single pass, because there may be many groups. */
export function variationCounts(input: ReportInput, matches: (group: Group) => boolean): VariationCounts[] {
  const counts = noVariationCounts(input);
  for (const group of input.groups.filter(isCounted(input)).filter(matches)) {
    const own = counts.get(group.variationKey);
    if (own === undefined) continue;
    own.visitors += group.visitors;
    for (const sums of group.goals) {
      own.goals.set(sums.goalId, addGoalSums(own.goals.get(sums.goalId), sums));
    }
  }
  return [...counts.values()];
}

export const totalVisitors = (counts: readonly VariationCounts[]) =>
  counts.reduce((sum, { visitors }) => sum + visitors, 0);

/** Zero counts by variation, to be summed up. */
export function noVariationCounts({ variations }: Pick<ReportInput, 'variations'>) {
  return new Map<string | null, { key: string; visitors: number; goals: Map<string, ReportGoalSums> }>(
    variations.map(({ key }) => [key, { key, visitors: 0, goals: new Map() }]),
  );
}

export function addGoalSums(first: ReportGoalSums | undefined, b: ReportGoalSums): ReportGoalSums {
  const a = first ?? noGoalSums(b.goalId);
  return {
    goalId: a.goalId,
    converted: a.converted + b.converted,
    conversions: addSums(a.conversions, b.conversions),
    amount: { ...addSums(a.amount, b.amount), sum: inMicros(a.amount.sum + b.amount.sum) },
    convertedAmount: inMicros(a.convertedAmount + b.convertedAmount),
    convertedCovariate: a.convertedCovariate + b.convertedCovariate,
  };
}

/** Rounds to whole micro-dollars, which removes floating-point errors of the addition. */
const inMicros = (dollars: number) => toDollars(toMicros(dollars));

const addSums = (a: ReportSums, b: ReportSums): ReportSums => ({
  sum: a.sum + b.sum,
  sumSquares: a.sumSquares + b.sumSquares,
  covariateSum: a.covariateSum + b.covariateSum,
  covariateSumSquares: a.covariateSumSquares + b.covariateSumSquares,
  covariateProduct: a.covariateProduct + b.covariateProduct,
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
  for (const { variationKey, visitors } of groups.filter(({ bot }) => bot)) {
    counts.set(variationKey, (counts.get(variationKey) ?? 0) + visitors);
  }
  return counts;
}
