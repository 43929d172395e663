import type { Operator } from '../api/targeting.ts';

interface Words {
  is: string;
  /** With `negate`. */
  isNot: string;
}

/** Operators as they read after the name of an attribute. */
export const OPERATOR_WORDS: Readonly<Record<Operator, Words>> = {
  equals: { is: 'is', isNot: 'is not' },
  notEquals: { is: 'is not', isNot: 'is' },
  in: { is: 'is one of', isNot: 'is none of' },
  notIn: { is: 'is none of', isNot: 'is one of' },
  contains: { is: 'contains', isNot: 'does not contain' },
  startsWith: { is: 'starts with', isNot: 'does not start with' },
  endsWith: { is: 'ends with', isNot: 'does not end with' },
  matches: { is: 'matches the pattern', isNot: 'does not match the pattern' },
  lessThan: { is: 'is less than', isNot: 'is not less than' },
  lessThanOrEqual: { is: 'is at most', isNot: 'is not at most' },
  greaterThan: { is: 'is more than', isNot: 'is not more than' },
  greaterThanOrEqual: { is: 'is at least', isNot: 'is not at least' },
  before: { is: 'is before', isNot: 'is not before' },
  after: { is: 'is after', isNot: 'is not after' },
  semverEqual: { is: 'is version', isNot: 'is not version' },
  semverLessThan: { is: 'is below version', isNot: 'is not below version' },
  semverLessThanOrEqual: { is: 'is at most version', isNot: 'is not at most version' },
  semverGreaterThan: { is: 'is above version', isNot: 'is not above version' },
  semverGreaterThanOrEqual: { is: 'is at least version', isNot: 'is not at least version' },
  isSet: { is: 'is set', isNot: 'is set, inverted (matches nobody)' },
  isNotSet: { is: 'is not set', isNot: 'is set' },
  inSegment: { is: 'is in segment', isNot: 'is not in segment' },
};

/** Only the first value counts. */
export const HAS_ONE_VALUE: ReadonlySet<Operator> = new Set([
  'lessThan',
  'lessThanOrEqual',
  'greaterThan',
  'greaterThanOrEqual',
  'before',
  'after',
  'semverLessThan',
  'semverLessThanOrEqual',
  'semverGreaterThan',
  'semverGreaterThanOrEqual',
]);
