import type { MetricComputation, MetricStep, MetricValue } from '@switchyard/core/api/metrics';
import type { Report } from '../../configuration/definitions/rule-context.ts';
import type { Goal } from '../../configuration/property/property-configuration.ts';

interface GoalUse {
  goalId: string;
  /** Below the metric. */
  pointer: string;
  /** Whether its amounts are used. */
  isAmount: boolean;
}

/** The goals that a metric is made of. */
export const metricGoals = (metric: MetricComputation): string[] => [
  ...new Set(goalUses(metric).map(({ goalId }) => goalId)),
];

/** Reports goals that the property does not have, and amounts of goals that have none. */
export function reportMetricGoals(
  metric: MetricComputation,
  goals: readonly Goal[],
  path: string,
  report: Report,
): void {
  for (const { goalId, pointer, isAmount } of goalUses(metric)) {
    const goal = goals.find(({ id }) => id === goalId);
    if (goal === undefined) report(`${path}${pointer}`, `"${goalId}" is not a goal of this property`);
    else if (isAmount && goal.kind !== 'revenue')
      report(`${path}${pointer}`, `"${goalId}" is a count goal: only revenue goals have amounts`);
  }
}

function goalUses(metric: MetricComputation): GoalUse[] {
  const use = (goalId: string | null | undefined, pointer: string, isAmount = false): GoalUse[] =>
    goalId ? [{ goalId, pointer, isAmount }] : [];
  const part = (value: MetricValue, pointer: string) =>
    'goalId' in value ? use(value.goalId, `${pointer}/goalId`, value.of === 'sum') : [];
  const step = (value: MetricStep, index: number) =>
    'goalId' in value ? use(value.goalId, `/steps/${index}/goalId`) : [];
  switch (metric.kind) {
    case 'count':
    case 'retention':
      return use(metric.goalId, '/goalId');
    case 'sum':
    case 'quantile':
      return use(metric.goalId, '/goalId', true);
    case 'ratio':
      return [...part(metric.numerator, '/numerator'), ...part(metric.denominator, '/denominator')];
    case 'funnel':
      return metric.steps.flatMap(step);
    case 'page':
    case 'event':
      return [];
  }
}
