import type { MetricComputation } from '@switchyard/core/api/metrics';
import type { ItemUse } from '../changes/delete-item-panel.tsx';
import type { Configuration, SplitTest } from '../configuration/configuration-types.ts';

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

/** The split tests and the rules of flags that are measured by a metric. */
export function metricUses({ splitTests, flags, environments }: Configuration, id: string): ItemUse[] {
  const inTests = splitTests.flatMap((test): ItemUse[] => {
    const role = roleOf(test, id);
    if (role === undefined) return [];
    const to = `split-tests/${encodeURIComponent(test.key)}`;
    return [{ to, label: test.name || test.key, detail: `${role}, ${test.status}` }];
  });
  const inFlags = flags.flatMap((flag): ItemUse[] => {
    const places = environments.filter((environment) =>
      flag.environments[environment.id]?.rules.some((rule) => rule.measure && roleOf(rule.measure, id)),
    );
    if (places.length === 0) return [];
    const to = `flags/${encodeURIComponent(flag.key)}`;
    return [{ to, label: flag.name || flag.key, detail: `in ${places.map(({ name }) => name).join(', ')}` }];
  });
  return [...inTests, ...inFlags];
}

/** Tests that have started with a metric: what it computes is fixed. */
export const startedWith = ({ splitTests }: Configuration, id: string): SplitTest[] =>
  splitTests.filter((test) => test.phases.length > 0 && roleOf(test, id) !== undefined);

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
