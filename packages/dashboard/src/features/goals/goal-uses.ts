import type { ItemUse } from '../changes/delete-item-panel.tsx';
import type { Configuration } from '../configuration/configuration-types.ts';
import { usesGoal } from '../metrics/metric-uses.ts';

/** The split tests that measure a goal, and the metrics that are made of it. */
export function goalUses({ splitTests, metrics }: Configuration, id: string): ItemUse[] {
  const inTests = splitTests.flatMap(({ key, name, goals, guardrails, status }) => {
    const role = goals[0] === id ? 'primary goal' : goals.includes(id) ? 'secondary goal' : 'guardrail';
    const isGuardrail = guardrails.some(
      (each) => each === id || (typeof each !== 'string' && 'goalId' in each && each.goalId === id),
    );
    if (role === 'guardrail' && !isGuardrail) return [];
    return [
      { to: `split-tests/${encodeURIComponent(key)}`, label: name || key, detail: `${role}, ${status}` },
    ];
  });
  const inMetrics = metrics
    .filter((metric) => usesGoal(metric, id))
    .map((metric) => ({
      to: `metrics/${encodeURIComponent(metric.id)}`,
      label: metric.name || metric.id,
      detail: '(metric)',
    }));
  return [...inTests, ...inMetrics];
}
