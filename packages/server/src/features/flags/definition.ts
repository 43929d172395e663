import { ManagedFlag } from '@switchyard/core/api/management';
import { ProvisionedFlag } from '@switchyard/core/api/provisioning';
import type { ProvisionedGuardrail, ProvisionedOutcome } from '@switchyard/core/api/test-outcomes';
import { segmentsIn } from '@switchyard/core/evaluation/segments';
import type { CollectionDefinition } from '../../configuration/definitions/collection-definition.ts';
import type { Reference } from '../../configuration/property/entities.ts';
import type { EnvironmentFlagConfiguration } from '../../configuration/property/property-configuration.ts';
import { FLAG_WORDS } from './flag-change-words.ts';
import { resolveFlags } from './flag-rules.ts';
import { flagRows } from './flag-store.ts';
import { isoRule } from './iso-rule.ts';

export const flagDefinition: CollectionDefinition<'flag'> = {
  type: 'flag',
  field: 'flags',
  keyField: 'key',
  savedAfter: ['environment', 'segment', 'goal', 'metric', 'feedback-type'],
  tables: { flags: ['id'], flag_configurations: ['id'], measured_rules: ['configuration_id', 'rule_id'] },
  rows: flagRows,
  /** Configurations by environment, as in a provision file. */
  toDocument({ configurations, ...flag }) {
    const environments = configurations.map(({ environmentId, ...configuration }) => {
      return [environmentId, configuration] as const;
    });
    return { ...flag, environments: Object.fromEntries(environments) };
  },
  fromDocument({ environments, ...flag }) {
    const configurations = Object.entries(environments as object).map(([environmentId, configuration]) => {
      return { environmentId, ...configuration } as EnvironmentFlagConfiguration;
    });
    return { ...flag, configurations };
  },
  arrange(flags, { environments }) {
    const order = environments.map(({ id }) => id);
    for (const { configurations } of flags) {
      configurations.sort(
        (left, right) => order.indexOf(left.environmentId) - order.indexOf(right.environmentId),
      );
    }
  },
  references: ({ configurations }) => configurations.flatMap(referencesOf),
  resolve: resolveFlags,
  words: { fields: FLAG_WORDS },
  file: {
    entryOf({ id: _id, createdAt: _createdAt, ...entry }, { configurations }) {
      const environments = configurations.map(({ environmentId, enabled, value, rules, prerequisites }) => {
        return [environmentId, { enabled, value, rules: rules.map(isoRule), prerequisites }] as const;
      });
      return { ...entry, environments: Object.fromEntries(environments) };
    },
  },
  managed: {
    path: 'flags',
    body: ProvisionedFlag,
    response: ManagedFlag,
    access: 'editor',
    readOnly: ['id', 'createdAt', 'environments/*/id', 'environments/*/measured'],
  },
};

function referencesOf({
  environmentId,
  prerequisites,
  rules,
  measured = [],
}: EnvironmentFlagConfiguration): Reference[] {
  const segments = rules.flatMap(({ conditions = [] }) => segmentsIn(conditions));
  // Results of a measurement that has ended stay as long as the rule.
  const measures = [...rules, ...measured].flatMap(({ measure }) => measure ?? []);
  const outcomes = [
    ...measures.flatMap(({ goals, guardrails = [] }) => [...goals, ...guardrails]),
    ...rules.flatMap(({ rollout }) => rollout?.guardrails ?? []),
  ];
  return [
    { type: 'environment', key: environmentId },
    ...prerequisites.map(({ flag }): Reference => ({ type: 'flag', key: flag })),
    ...segments.map((id): Reference => ({ type: 'segment', key: id })),
    ...outcomes.map(referenceOf),
  ];
}

function referenceOf(entry: ProvisionedOutcome | ProvisionedGuardrail): Reference {
  if (typeof entry === 'string') return { type: 'goal', key: entry };
  if ('goalId' in entry) return { type: 'goal', key: entry.goalId };
  if ('metric' in entry) return { type: 'metric', key: entry.metric };
  return { type: 'feedback-type', key: entry.feedbackType };
}
