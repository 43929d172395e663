import { managed } from '@switchyard/core/api/management';
import { ProvisionedGoal } from '@switchyard/core/api/provisioning';
import type { CollectionDefinition } from '../../configuration/definitions/collection-definition.ts';
import { field, members, objectOf, optional, toggle } from '../../configuration/words/change-words.ts';
import { isMissing, quoted, valueWords } from '../../configuration/words/value-words.ts';
import { resolveGoals } from './goal-rules.ts';
import { goalRows } from './goal-store.ts';

export const goalDefinition: CollectionDefinition<'goal'> = {
  type: 'goal',
  field: 'goals',
  keyField: 'id',
  tables: { goals: ['property_id', 'id'] },
  rows: goalRows,
  resolve: resolveGoals,
  words: {
    fields: {
      name: field('Name', quoted),
      kind: field('Kind'),
      lowerIsBetter: toggle('Less is better', 'More is better'),
      target: optional(
        field('Target', target),
        members({ value: field('Target'), period: field('Period of the target') }),
      ),
    },
  },
  file: {},
  managed: {
    path: 'goals',
    body: ProvisionedGoal,
    response: managed('ManagedGoal', ProvisionedGoal.properties),
    access: 'editor',
  },
};

function target(value: unknown): string {
  if (isMissing(value)) return 'none';
  const { value: amount, period } = objectOf(value);
  return `${valueWords(amount)} per ${period}`;
}
