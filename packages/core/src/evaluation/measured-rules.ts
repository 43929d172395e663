import type { Rule } from '../api/targeting.ts';

/** The variations of a measured rollout: those within the percentage, and those outside, who are the control. */
export const ON = 'on';
export const OFF = 'off';

export interface MeasuredVariation {
  readonly key: string;
  readonly weight: number;
  /** As JSON; of those outside a rollout, which another rule decides, empty. */
  readonly value: string;
}

/** Whether those whom the rule reaches are compared with each other, like the visitors of a split test. */
export function isMeasured(rule: Rule): boolean {
  return (rule.measure !== undefined || isGuarded(rule.rollout)) && hasComparison(rule);
}

/** Whether the steps of the rollout are made only without harm. */
export const isGuarded = (rollout: Rule['rollout']): boolean => rollout?.guardrails !== undefined;

/** Whether the rule gives several values, or a value to some of those who match. */
export function hasComparison({ rollout, split }: Pick<Rule, 'rollout' | 'split'>): boolean {
  const percentage = rollout?.percentage ?? 100;
  if (percentage <= 0) return false;
  if (split !== undefined) return split.filter(({ weight }) => weight > 0).length > 1;
  return percentage < 100;
}

/** The first is the control. */
export function measuredVariations({ value, rollout, split }: Rule): MeasuredVariation[] {
  if (split !== undefined) {
    return split.map((entry, index) => ({
      key: entry.key ?? String(index),
      weight: entry.weight,
      value: JSON.stringify(entry.value),
    }));
  }
  const percentage = rollout?.percentage ?? 100;
  return [
    { key: OFF, weight: 100 - percentage, value: '' },
    { key: ON, weight: percentage, value: JSON.stringify(value) },
  ];
}

/** Draws of these differ between the devices of a user. */
const UNITS_OF_VISITORS: readonly (string | undefined)[] = ['visitorId', 'sessionId'];

/** Who is counted. Whoever is drawn by user has one value on all devices, and must be counted once. */
export const measuredUnit = ({ rollout }: Pick<Rule, 'rollout'>): 'visitor' | 'user' =>
  UNITS_OF_VISITORS.includes(rollout?.by) ? 'visitor' : 'user';
