import { type Arm, meanArm } from '../arm.ts';
import { DEFAULT_SEQUENTIAL_N, sequentialPValue } from '../sequential.ts';
import { combineStrata } from '../strata.ts';
import { ALARM_P_VALUE } from './health.ts';
import { noGoalSums, type VariationCounts, type VisitorCounts } from './report-counts.ts';
import type { ReportGoal } from './report-input.ts';
import { comparedStrata } from './report-strata.ts';

/** A covariate that differs between a variation and the control by more than chance. */
export interface CovariateImbalance {
  readonly covariate: string;
  readonly variation: string;
  readonly pValue: number;
}

/**
 * Visitors cannot have been different before they saw the test: if a covariate differs between variations, the test has
 * moved it, or the split is wrong. Using it would take out a part of the effect. Checked every day, so always-valid.
 */
export function covariateImbalance(
  counts: readonly VariationCounts[],
  goals: readonly ReportGoal[],
): CovariateImbalance | null {
  const counted = goals.filter(({ kind }) => kind !== 'metric');
  // Metrics are compared without covariates.
  if (goals.length > 0 && counted.length === 0) return null;
  const covariates = covariatesOf(counted);
  const strata = comparedStrata(counts);
  const comparisons = (counts.length - 1) * covariates.length;
  const found = covariates.flatMap(({ name, armOf }) => {
    const [control, ...variations] = combineStrata(
      strata.map((stratum) => stratum.map(armOf)),
      counts.map(armOf),
    );
    return variations.map((arm, index) => ({
      covariate: name,
      variation: counts[index + 1]!.key,
      pValue: differenceOf(control!, arm) * comparisons,
    }));
  });
  const [worst] = found.toSorted((a, b) => a.pValue - b.pValue);
  return worst !== undefined && worst.pValue < ALARM_P_VALUE ? worst : null;
}

interface Covariate {
  readonly name: string;
  readonly armOf: (counts: VisitorCounts) => Arm;
}

function covariatesOf(goals: readonly ReportGoal[]): Covariate[] {
  const own = goals.map(
    ({ id, kind, name }): Covariate => ({
      name,
      armOf: ({ visitors, goals }) => {
        const { conversions, amount } = goals.get(id) ?? noGoalSums(id);
        const { covariateSum, covariateSumSquares } = kind === 'revenue' ? amount : conversions;
        return meanArm({ n: visitors, sum: covariateSum, sumSquares: covariateSumSquares });
      },
    }),
  );
  return [
    ...own,
    {
      name: 'visitors who were known',
      armOf: ({ visitors, before: { known } }) => meanArm({ n: visitors, sum: known, sumSquares: known }),
    },
    {
      name: 'sessions',
      armOf: ({ visitors, before: { sessions, sessionsSquares } }) =>
        meanArm({ n: visitors, sum: sessions, sumSquares: sessionsSquares }),
    },
    {
      name: 'revenue',
      armOf: ({ visitors, before: { revenue, revenueSquares } }) =>
        meanArm({ n: visitors, sum: revenue, sumSquares: revenueSquares }),
    },
  ];
}

function differenceOf(control: Arm, variation: Arm): number {
  if (!control.variance || !variation.variance) return 1;
  const variance = control.variance / control.n + variation.variance / variation.n;
  const zSquared = (variation.baseMean! - control.baseMean!) ** 2 / variance;
  return sequentialPValue(zSquared, control.n + variation.n, ALARM_P_VALUE, DEFAULT_SEQUENTIAL_N);
}
