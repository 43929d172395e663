import type { DecisionRule, RuleGoal, RuleGuardrail } from '../api/decision/decision-rule.ts';
import { DEFAULT_STATISTICS, type StatisticsSettings } from '../api/statistics.ts';

export const SIGN_UPS: RuleGoal = { id: 'signup', name: 'Sign-ups', kind: 'count', lowerIsBetter: false };
export const ERRORS: RuleGuardrail = {
  id: 'errors',
  name: 'Checkout errors',
  kind: 'count',
  lowerIsBetter: true,
  maxHarm: 0.01,
};

/** Sign-ups of two variations, without a plan. */
export const ruleOf = (
  more: Partial<DecisionRule> = {},
  statistics: Partial<StatisticsSettings> = {},
): DecisionRule => ({
  primary: SIGN_UPS,
  secondary: [],
  guardrails: [],
  variations: ['control', 'b'],
  smallestEffect: null,
  plannedVisitors: null,
  unit: 'visitor',
  attributionDays: 7,
  ...more,
  statistics: { ...DEFAULT_STATISTICS, ...statistics },
});
