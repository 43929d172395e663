import type { ItemUse } from '../changes/delete-item-panel.tsx';
import type { Configuration } from '../configuration/configuration-types.ts';

/** The split tests that measure a goal. */
export function goalUses({ splitTests }: Configuration, id: string): ItemUse[] {
  return splitTests.flatMap(({ key, name, goals, guardrails, status }) => {
    const role = goals[0] === id ? 'primary goal' : goals.includes(id) ? 'secondary goal' : 'guardrail';
    const isGuardrail = guardrails.some(
      (each) => each === id || (typeof each !== 'string' && 'goalId' in each && each.goalId === id),
    );
    if (role === 'guardrail' && !isGuardrail) return [];
    return [
      { to: `split-tests/${encodeURIComponent(key)}`, label: name || key, detail: `${role}, ${status}` },
    ];
  });
}
