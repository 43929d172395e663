import type { GoalBody } from '@switchyard/core/api/goals';
import { toMicros } from '@switchyard/core/money';
import type { Goal } from '../../configuration/property/property-configuration.ts';
import { invalidField } from '../../platform/errors/errors.ts';

const TOO_SMALL = {
  1: 'The `amount` of an increment must be 0 or at least a millionth of a dollar.',
  [-1]: 'The `amount` of a decrement must be at least a millionth of a dollar.',
};

/** The amount in millionths; refuses one that is missing or rounds to nothing. */
export function requireAmount({ kind }: Goal, { amount }: GoalBody, direction: 1 | -1): number {
  if (kind === 'revenue' && amount === undefined) {
    throw invalidField('/amount', 'A revenue goal needs an `amount` in dollars.', 'amount_required');
  }
  const amountMicros = toMicros(amount ?? 0);
  const mayBeZero = direction === 1 && amount === 0;
  if (amount !== undefined && amountMicros === 0 && !mayBeZero) {
    throw invalidField('/amount', TOO_SMALL[direction], 'amount_not_positive');
  }
  return amountMicros;
}
