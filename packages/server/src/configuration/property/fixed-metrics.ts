import type { FixedDecisionRule } from '@switchyard/core/api/decision/decision-rule';
import { metricGoalId } from '@switchyard/core/metrics/metric-goal-id';

const PREFIX = metricGoalId('');

/** Ids of the metrics in the rule that a test was started with, even if the test does not have them any more. */
export function fixedMetrics(fixed: FixedDecisionRule | undefined): string[] {
  if (fixed === undefined) return [];
  const { primary, secondary, guardrails } = fixed.rule;
  const goals = [...(primary === null ? [] : [primary]), ...secondary, ...guardrails];
  return goals.flatMap(({ id, kind }) => (kind === 'metric' ? [id.slice(PREFIX.length)] : []));
}
