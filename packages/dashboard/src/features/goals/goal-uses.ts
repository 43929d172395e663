import type { ItemUse } from '../changes/use-links.tsx';
import type { Configuration } from '../configuration/configuration-types.ts';
import { usesGoal } from '../metrics/metric-uses.ts';
import { testUses } from '../split-tests/test-uses.ts';

/** The split tests and measured flags that have a goal, and the metrics that are made of it. */
export const goalUses = (configuration: Configuration, id: string): ItemUse[] => [
  ...testUses(
    configuration,
    (each) => each === id || (typeof each !== 'string' && 'goalId' in each && each.goalId === id),
    ({ goals, status }) => {
      const role = goals[0] === id ? 'primary goal' : goals.includes(id) ? 'secondary goal' : 'guardrail';
      return `${role}, ${status}`;
    },
  ),
  ...configuration.metrics
    .filter((metric) => usesGoal(metric, id))
    .map((metric) => ({
      to: `metrics/${encodeURIComponent(metric.id)}`,
      label: metric.name || metric.id,
      detail: '(metric)',
    })),
];
