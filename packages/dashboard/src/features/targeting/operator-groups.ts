import type { Operator } from '@switchyard/core/api/targeting';

/** Choices for an attribute, by the type of what is compared. */
export const OPERATOR_GROUPS: readonly { group: string; operators: readonly Operator[] }[] = [
  {
    group: 'Text',
    operators: ['equals', 'notEquals', 'in', 'notIn', 'contains', 'startsWith', 'endsWith', 'matches'],
  },
  { group: 'Number', operators: ['lessThan', 'lessThanOrEqual', 'greaterThan', 'greaterThanOrEqual'] },
  { group: 'Date', operators: ['before', 'after'] },
  {
    group: 'Version',
    operators: [
      'semverEqual',
      'semverLessThan',
      'semverLessThanOrEqual',
      'semverGreaterThan',
      'semverGreaterThanOrEqual',
    ],
  },
  { group: 'Presence', operators: ['isSet', 'isNotSet'] },
];

/** The opposite is a choice of its own, so these need no `negate`. */
export const HAS_OPPOSITE: ReadonlySet<Operator> = new Set([
  'equals',
  'notEquals',
  'in',
  'notIn',
  'isSet',
  'isNotSet',
]);
