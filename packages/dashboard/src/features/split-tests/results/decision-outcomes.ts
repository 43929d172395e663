import type { DecisionOutcome } from '@switchyard/core/api/provisioned-split-test';

/** The outcomes of a decision in words. */
export const OUTCOMES: Record<DecisionOutcome, string> = {
  ship: 'Ship the winner',
  'roll-back': 'Roll back to the control',
  'no-difference': 'No difference',
  other: 'Something else',
};
