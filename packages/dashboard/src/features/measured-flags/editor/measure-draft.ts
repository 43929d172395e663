import type { Measure, Rule } from '@switchyard/core/api/targeting';
import { measuredVariations } from '@switchyard/core/evaluation/measured-rules';
import type { MeasuredBy } from '../../outcomes/outcome-form.ts';
import { plannedAudience } from '../../outcomes/planned-audience.ts';
import type { PlannedDivision } from '../../outcomes/use-test-plan.ts';

/** Whether a rule gives different things to those who match, so that they can be compared. */
export const canBeMeasured = ({ split, rollout }: Rule): boolean =>
  split !== undefined || (rollout !== undefined && rollout.percentage < 100);

/** The fields of the form. */
export const measuredBy = ({ goals, guardrails, smallestEffect, plannedVisitors }: Measure): MeasuredBy => ({
  goals,
  guardrails: guardrails ?? [],
  smallestEffect: smallestEffect ?? null,
  plannedVisitors: plannedVisitors ?? null,
});

/** The rule with what it is measured by; empty fields are left out. */
export function withMeasure(
  rule: Rule,
  { goals, guardrails, smallestEffect, plannedVisitors }: MeasuredBy,
): Rule {
  return {
    ...rule,
    measure: {
      goals,
      ...(guardrails.length > 0 && { guardrails }),
      ...(plannedVisitors !== null && { plannedVisitors }),
      ...(smallestEffect !== null && { smallestEffect }),
    },
  };
}

export function withoutMeasure({ measure: _, ...rule }: Rule): Rule {
  return rule;
}

/** Who is compared with whom, for the planner. */
export function ruleDivision(rule: Rule): PlannedDivision {
  const { match = 'all', conditions = [], rollout, split } = rule;
  const weights = measuredVariations(rule).map(({ weight }) => weight);
  const weighted = weights.filter((weight) => weight > 0).length;
  return {
    variations: weighted,
    participating: split === undefined ? 100 : (rollout?.percentage ?? 100),
    audience: plannedAudience(conditions.length === 0 ? undefined : { match, conditions }),
    unevenness: unevenness(weights),
  };
}

/** How many times more visitors the least precise comparison with the control takes than with equal shares. */
function unevenness(weights: readonly number[]): number {
  const [control = 0, ...others] = weights;
  const compared = others.filter((weight) => weight > 0);
  if (control <= 0 || compared.length === 0) return 1;
  const total = control + compared.reduce((sum, weight) => sum + weight, 0);
  // The variance of a difference is that of both means together.
  const variance = total / control + total / Math.min(...compared);
  return Math.max(1, variance / (2 * (compared.length + 1)));
}
