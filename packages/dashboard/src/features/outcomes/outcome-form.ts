import type { Guardrail, Outcome } from './outcome-options.ts';

/** What variations are compared by, and the plan. */
export interface MeasuredBy {
  /** The first is the primary goal. */
  goals: Outcome[];
  guardrails: Guardrail[];
  smallestEffect: number | null;
  plannedVisitors: number | null;
}

/** A form that has it, beside other things. */
export interface OutcomeForm {
  value: MeasuredBy;
  change: (changes: Partial<MeasuredBy>) => void;
  /** What is wrong with a field, by its JSON pointer in `value`. */
  errorAt: (pointer: string) => string | undefined;
}
