import type { ReportGoal } from '@switchyard/core/stats/report/report-input';
import type { PropertyConfiguration, SplitTest } from './property-configuration.ts';
import { reportMetric } from './report-metric.ts';
import {
  feedbackOutcomeOf,
  type Guardrail,
  maxHarmOf,
  metricIdOf,
  outcomeId,
  type TestOutcome,
} from './test-outcome.ts';

type Goals = Pick<PropertyConfiguration, 'goals' | 'metrics' | 'feedbackTypes'>;

/** The goals and guardrails of a test, with what the property says about them; the primary goal first. */
export function reportGoals(property: Goals, test: Pick<SplitTest, 'goals' | 'guardrails'>): ReportGoal[] {
  return [
    ...test.goals.flatMap((outcome, index) =>
      goalOf(property, outcome, index === 0 ? 'primary' : 'secondary'),
    ),
    ...test.guardrails.flatMap((outcome) => goalOf(property, outcome, 'guardrail')),
  ];
}

function goalOf(property: Goals, outcome: TestOutcome | Guardrail, role: ReportGoal['role']): ReportGoal[] {
  const { goals, metrics, feedbackTypes } = property;
  const id = outcomeId(outcome);
  const maxHarm = maxHarmOf(outcome);
  const margin = maxHarm === undefined ? {} : { maxHarm };
  const metricId = metricIdOf(outcome);
  if (metricId !== undefined) {
    const metric = metrics.find((it) => it.id === metricId);
    if (metric === undefined) return [];
    const { name, lowerIsBetter } = metric;
    const definition = reportMetric(metric, property);
    return [{ id, name, kind: 'metric', role, lowerIsBetter, metricId, definition, ...margin }];
  }
  const feedback = feedbackOutcomeOf(outcome);
  if (feedback === undefined) {
    const goal = goals.find((it) => it.id === id);
    return goal ? [{ ...goal, role, ...margin }] : [];
  }
  const { feedbackType: feedbackTypeId, option = null, lowerIsBetter } = feedback;
  const type = feedbackTypes.find((it) => it.id === feedbackTypeId);
  if (type === undefined) return [];
  const name = option === null ? `${type.name} answered` : `${type.name}: ${option}`;
  return [{ id, name, kind: 'feedback', role, lowerIsBetter, feedbackTypeId, option, ...margin }];
}
