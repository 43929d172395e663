import { type Comparison, NO_COMPARISON } from '../comparison.ts';
import { atCritical, type Effect } from '../effect.ts';
import { boundariesOf } from './boundaries.ts';
import { type Monitoring, monitoredCritical, monitoredPValue } from './monitoring.ts';
import { DEFAULT_SPENDING, type Spending } from './spending.ts';

/** When a group-sequential test is looked at: all the time, or only at certain looks. */
export type Looks = Monitoring | PlannedLooks;

/** Information fractions, ascending. */
export interface PlannedLooks {
  readonly fractions: readonly number[];
  /** Index of the look to evaluate. */
  readonly current: number;
  readonly spending: Spending;
}

/** A single look, at the planned size. */
export const FINAL_LOOK: PlannedLooks = { fractions: [1], current: 0, spending: DEFAULT_SPENDING };

/** A look with hardly any new visitors is the same look, and its boundary could not be computed precisely. */
const MIN_STEP = 0.001;

/** Looks after these numbers of visitors; once the planned number is reached, further visitors change nothing. */
export function looksAt(
  visitors: readonly number[],
  plannedVisitors: number,
  spending: Spending,
): PlannedLooks {
  const fractions = distinctLooks(visitors, plannedVisitors).map(({ fraction }) => fraction);
  return { fractions, current: fractions.length - 1, spending };
}

/** The looks that count, with their index in `visitors`: the last one, and earlier ones that differ enough. */
export function distinctLooks(
  visitors: readonly number[],
  plannedVisitors: number,
): { fraction: number; index: number }[] {
  const all = visitors.map((count, index) => ({ fraction: Math.min(1, count / plannedVisitors), index }));
  // The plan is reached at the first look with all of its visitors.
  const end = all.findIndex(({ fraction }) => fraction === 1);
  let next = Infinity;
  return (end === -1 ? all : all.slice(0, end + 1))
    .toReversed()
    .filter(({ fraction }) => {
      const isDistinct = next - fraction >= MIN_STEP * next;
      if (fraction <= 0 || !isDistinct) return false;
      next = fraction;
      return true;
    })
    .toReversed();
}

/**
 * Comparison for a test with a planned size: the error rate stays at alpha over all looks (Lan and DeMets 1983). The
 * interval is the repeated confidence interval of Jennison and Turnbull, and the p-value inverts it.
 */
export function compareAtLook(effect: Effect, alpha: number, looks: Looks): Comparison {
  const critical = criticalAt(looks, alpha);
  const pValue = effect.z === null ? null : pValueAt(looks, effect.z);
  return {
    ...NO_COMPARISON,
    ...atCritical(effect, critical),
    pValue: pValue === null ? null : onSideOf(alpha, pValue, Math.abs(effect.z!) > critical),
  };
}

function criticalAt(looks: Looks, alpha: number): number {
  if ('fraction' in looks) return monitoredCritical(looks, alpha);
  return boundariesOf(looks.fractions, looks.spending).cutCriticals(alpha)[looks.current]!;
}

function pValueAt(looks: Looks, z: number): number {
  if ('fraction' in looks) return monitoredPValue(looks, z);
  return boundariesOf(looks.fractions, looks.spending).cutPValue(z, looks.current);
}

/** How much of the planned information there is. */
export const fractionOf = (looks: Looks) =>
  'fraction' in looks ? Math.min(1, looks.fraction) : looks.fractions[looks.current]!;

/** The p-value is interpolated: it must not contradict the interval if it is very close to alpha. */
const onSideOf = (alpha: number, pValue: number, isSignificant: boolean) =>
  isSignificant ? Math.min(pValue, alpha * (1 - 1e-9)) : Math.max(pValue, alpha);
