import { type Comparison, NO_COMPARISON } from '../stats/comparison.ts';
import type { Forecast } from '../stats/report/forecast.ts';
import type { GoalOutcome } from '../stats/report/goal-outcome.ts';
import type { Guardrail, GuardrailState } from '../stats/report/guardrails.ts';
import type { VerdictContext, VerdictFacts } from '../stats/report/verdict-facts.ts';

export const interval = (estimate: number, low: number | null, high: number | null) => ({
  estimate,
  low,
  high,
});

/** Sign-ups of 25 % and 50 %; it says +20 %, between +5 % and +37 %. */
export const outcomeOf = (
  more: Partial<GoalOutcome> = {},
  comparison: Partial<Comparison> = {},
): GoalOutcome => ({
  name: 'Sign-ups',
  unit: 'rate',
  control: 0.25,
  variation: 0.5,
  comparison: {
    ...NO_COMPARISON,
    absolute: interval(0.02, 0.005, 0.037),
    relative: interval(0.2, 0.05, 0.37),
    pValue: 0.01,
    ...comparison,
  },
  ...more,
});

export const guardrailOf = (
  name: string,
  state: GuardrailState,
  more: Partial<Guardrail> = {},
): Guardrail => ({ ...outcomeOf({ name }), maxHarm: 0.05, state, daysLeft: null, ...more });

export const forecastOf = (more: Partial<Forecast> = {}): Forecast => ({
  low: 3,
  high: 9,
  median: 5,
  inSight: true,
  detectable: 0.08,
  horizonDays: 56,
  ...more,
});

export const factsOf = (more: Partial<VerdictFacts> = {}): VerdictFacts => ({
  decision: 'ship',
  reason: 'primary',
  variation: 'b',
  improvement: null,
  unit: 'relative',
  primary: outcomeOf(),
  guardrails: [],
  problems: [],
  collecting: null,
  smallestEffect: null,
  visitors: 12_400,
  plannedVisitors: null,
  daysLeft: null,
  forecast: null,
  ...more,
});

export const contextOf = (more: Partial<VerdictContext> = {}): VerdictContext => ({
  isOver: false,
  hasStarted: true,
  variations: 2,
  currency: 'USD',
  ...more,
});
