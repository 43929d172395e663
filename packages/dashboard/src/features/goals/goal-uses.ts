import type { ItemUse } from '../changes/delete-item-panel.tsx';
import type { Configuration } from '../configuration/configuration-types.ts';
import { testUses } from '../split-tests/test-uses.ts';

/** The split tests and measured flags that have a goal. */
export const goalUses = (configuration: Configuration, id: string): ItemUse[] =>
  testUses(
    configuration,
    (each) => each === id || (typeof each !== 'string' && 'goalId' in each && each.goalId === id),
    ({ goals, status }) => {
      const role = goals[0] === id ? 'primary goal' : goals.includes(id) ? 'secondary goal' : 'guardrail';
      return `${role}, ${status}`;
    },
  );
