import type { LibraryTest } from '../../api/learning/library.ts';
import type { Interval } from '../comparison.ts';
import { directionOf } from '../report/goal-outcome.ts';
import { finishedEffects, isUsable, type VariationEffect } from '../report/learned-prior.ts';
import { buildReport, type GoalReport, type Report } from '../report/report.ts';
import type { ReportInput } from '../report/report-input.ts';
import { unitOf } from '../report/report-metrics.ts';

type Figures = NonNullable<LibraryTest['figures']>;

/** What a finished test found on its primary goal. */
export interface PrimaryFindings {
  readonly goal: Figures['goal'];
  readonly visitors: number;
  readonly healthy: boolean;
  readonly problem: string | null;
  /** Effects of the variations, as in the results. */
  readonly effects: readonly Omit<Figures['effects'][number], 'expected'>[];
  readonly whileRunning: Figures['whileRunning'];
  /** The same effects as a plain estimate and its error, whatever the method. */
  readonly estimates: readonly VariationEffect[];
}

/** @param input with the primary goal only */
export function primaryFindings(input: ReportInput): PrimaryFindings {
  const report = buildReport(input);
  const goal = report.goals.find(({ goal: { role } }) => role === 'primary');
  return {
    goal: goal === undefined ? null : goalOf(goal),
    visitors: report.variations.reduce((sum, { visitors }) => sum + visitors, 0),
    healthy: report.problems.length === 0,
    problem: report.problems[0]?.words ?? null,
    effects: goal === undefined ? [] : effectsOf(goal, input),
    whileRunning: goal === undefined ? null : whileRunning(goal, report),
    estimates: goal === undefined ? [] : finishedEffects(input).filter(isUsable),
  };
}

const goalOf = ({ goal: { id, name, kind, lowerIsBetter } }: GoalReport): Figures['goal'] => ({
  goalId: id,
  name,
  kind,
  lowerIsBetter,
});

const decidingOf = ({ metrics }: GoalReport) => metrics.find(({ decides }) => decides)!;

function effectsOf(report: GoalReport, { statistics }: ReportInput): PrimaryFindings['effects'] {
  const { goal } = report;
  const deciding = decidingOf(report);
  const { variations } = deciding;
  const control = variations[0]?.mean ?? null;
  return variations.slice(1).map((result) => {
    const { key, n, mean, relative, absolute, adjustedPValue } = result;
    const outcome = {
      name: goal.name,
      lowerIsBetter: goal.lowerIsBetter,
      unit: unitOf(deciding),
      control,
      variation: mean,
      comparison: result,
      adjustedPValue,
    };
    const isRelative = control !== null && control > 0;
    return {
      variation: key,
      visitors: n,
      finding: directionOf(outcome, { method: 'frequentist', alpha: statistics.alpha }) ?? 'inconclusive',
      relative: isRelative && relative !== null ? intervalOf(relative) : null,
      absolute: absolute === null ? null : intervalOf(absolute),
    };
  });
}

const intervalOf = ({ estimate, low, high }: Interval) => ({ estimate, low, high });

/**
 * What the visitors of the test brought more than if all of them had seen the control. The bounds add up those of the
 * variations, so with several variations they are wider than needed.
 */
function whileRunning(goal: GoalReport, report: Report): PrimaryFindings['whileRunning'] {
  const { metric, variations } = decidingOf(goal);
  if (metric !== 'conversion-rate' && metric !== 'revenue-per-visitor') return null;
  const known = variations.slice(1).flatMap(({ key, absolute }) => {
    const visitors = report.variations.find((it) => it.key === key)?.visitors ?? 0;
    return absolute === null ? [] : [{ visitors, absolute }];
  });
  if (known.length === 0) return null;
  const total = (bound: 'estimate' | 'low' | 'high') =>
    known.some(({ absolute }) => absolute[bound] === null)
      ? null
      : known.reduce((sum, { visitors, absolute }) => sum + visitors * absolute[bound]!, 0);
  return {
    unit: metric === 'conversion-rate' ? 'visitors' : 'dollars',
    estimate: total('estimate')!,
    low: total('low'),
    high: total('high'),
  };
}
