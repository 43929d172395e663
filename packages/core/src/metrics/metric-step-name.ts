import type { MetricStep } from '../api/metrics.ts';

/** A goal by its name, a page by its path, an event by its name. */
export function metricStepName(
  step: MetricStep,
  goals: readonly { readonly id: string; readonly name?: string }[],
): string {
  if ('path' in step) return step.path;
  if ('event' in step) return step.event;
  return goals.find(({ id }) => id === step.goalId)?.name || step.goalId;
}
