import type { MetricComputation } from '@switchyard/core/api/metrics';
import type { ItemUse } from '../changes/use-links.tsx';
import type { Configuration, SplitTest } from '../configuration/configuration-types.ts';
import type { ReportedTest } from '../split-tests/reported-test.ts';
import { reportedTests } from '../split-tests/reported-tests.ts';
import { testUses } from '../split-tests/test-uses.ts';

type Outcomes = Partial<Pick<SplitTest, 'goals' | 'guardrails'>>;
type Outcome = SplitTest['guardrails'][number];

const isMetric = (outcome: Outcome | undefined, id: string): boolean =>
  typeof outcome === 'object' && 'metric' in outcome && outcome.metric === id;

/** Undefined: not measured by it. */
function roleOf({ goals = [], guardrails = [] }: Outcomes, id: string): string | undefined {
  if (isMetric(goals[0], id)) return 'primary goal';
  if (goals.some((each) => isMetric(each, id))) return 'secondary goal';
  return guardrails.some((each) => isMetric(each, id)) ? 'guardrail' : undefined;
}

/** The split tests and measured flags that have a metric. */
export const metricUses = (configuration: Configuration, id: string): ItemUse[] =>
  testUses(
    configuration,
    (each) => isMetric(each, id),
    (test) => `${roleOf(test, id)}, ${test.status}`,
  );

/** Tests and measured flags that have started with a metric: what it computes is fixed. */
export const startedWith = (configuration: Configuration, id: string): ReportedTest[] =>
  reportedTests(configuration).filter((test) => test.phases.length > 0 && roleOf(test, id) !== undefined);

/** Whether a metric is made of a goal. */
export function usesGoal(metric: MetricComputation, goalId: string): boolean {
  switch (metric.kind) {
    case 'ratio':
      return [metric.numerator, metric.denominator].some((it) => 'goalId' in it && it.goalId === goalId);
    case 'funnel':
      return metric.steps.some((it) => 'goalId' in it && it.goalId === goalId);
    case 'page':
    case 'event':
      return false;
    default:
      return metric.goalId === goalId;
  }
}
