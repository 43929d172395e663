import type { GoalBody } from '@switchyard/core/api/goals';
import type { Goal } from '../../configuration/property/property-configuration.ts';
import type { AcceptedConversion } from '../../events/store/accepted-request.ts';
import { requireAmount } from './goal-amount.ts';

/** What is stored of an increment or decrement. */
export function acceptConversion(goal: Goal, body: GoalBody, direction: 1 | -1): AcceptedConversion {
  const { propertyId, sessionId, metadata } = body;
  return {
    kind: 'conversion',
    propertyId,
    receivedAt: Date.now(),
    goalId: goal.id,
    direction,
    amountMicros: direction * requireAmount(goal, body, direction),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
  };
}
