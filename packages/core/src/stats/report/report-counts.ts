import { toDollars, toMicros } from '../../money.ts';
import type { ReportGoalSums, ReportInput, ReportSums } from './report-input.ts';

/** What is counted of one variation. */
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

const isCounted =
  ({ includeBots }: ReportInput) =>
  (group: { bot: boolean }) =>
    includeBots || !group.bot;

export function countVisitors(input: ReportInput, matches: (group: Group) => boolean): number {
  return input.groups
    .filter(isCounted(input))
    .filter(matches)
    .reduce((sum, { visitors }) => sum + visitors, 0);
}

export function variationCounts(input: ReportInput, matches: (group: Group) => boolean): VariationCounts[] {
  return input.variations.map(({ key }) => {
    const groups = input.groups
      .filter(isCounted(input))
      .filter((group) => group.variationKey === key && matches(group));
    const goals = new Map<string, ReportGoalSums>();
    for (const sums of groups.flatMap((group) => group.goals)) {
      goals.set(sums.goalId, addGoalSums(goals.get(sums.goalId) ?? noGoalSums(sums.goalId), sums));
    }
    return { key, visitors: groups.reduce((sum, { visitors }) => sum + visitors, 0), goals };
  });
}

function addGoalSums(a: ReportGoalSums, b: ReportGoalSums): ReportGoalSums {
  return {
    goalId: a.goalId,
    converted: a.converted + b.converted,
    conversions: addSums(a.conversions, b.conversions),
    amount: { ...addSums(a.amount, b.amount), sum: inMicros(a.amount.sum + b.amount.sum) },
    convertedAmount: inMicros(a.convertedAmount + b.convertedAmount),
    convertedCovariate: a.convertedCovariate + b.convertedCovariate,
  };
}

/** Money is whole micro-dollars: what adding fractions has lost comes back. */
const inMicros = (dollars: number) => toDollars(toMicros(dollars));

const addSums = (a: ReportSums, b: ReportSums): ReportSums => ({
  sum: a.sum + b.sum,
  sumSquares: a.sumSquares + b.sumSquares,
  covariateSum: a.covariateSum + b.covariateSum,
  covariateSumSquares: a.covariateSumSquares + b.covariateSumSquares,
  covariateProduct: a.covariateProduct + b.covariateProduct,
});

export function exposuresOf(input: ReportInput, key: string): number {
  return input.exposures
    .filter(isCounted(input))
    .filter(({ variationKey }) => variationKey === key)
    .reduce((sum, { exposures }) => sum + exposures, 0);
}
