import type { GoalOutcome } from './goal-outcome.ts';

/** A goal that a variation has made worse, beyond chance. */
export interface HarmedGoal extends GoalOutcome {
  readonly id: string;
  readonly role: 'primary' | 'guardrail';
  /** The harm that could not be ruled out, relative to the control; null: none was accepted. */
  readonly maxHarm: number | null;
}
