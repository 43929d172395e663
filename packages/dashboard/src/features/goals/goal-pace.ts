import { displayZone } from '../../ui/format/display-zone.ts';
import { formatCompact, formatMoney, formatPercent } from '../../ui/format/format.ts';
import type { Goal } from '../configuration/configuration-types.ts';

type TargetPeriod = NonNullable<Goal['target']>['period'];

/** The current week, month or quarter of the property; weeks start on Monday. */
export function targetPeriod(period: TargetPeriod, now: number): { from: number; to: number } {
  const zone = displayZone();
  return { from: zone.startOf(period, now), to: zone.endOf(period, now) };
}

export interface Pace {
  /** Share of the target that is reached. */
  share: number;
  /** Whether the target will be reached if it goes on like this. */
  isOnPace: boolean;
  /** Such as "62 % of 500 this month: on pace for 540". */
  words: string;
}

/** How a goal stands against its target; `reached` is the net total of the target's period so far. */
export function paceOf(goal: Goal, reached: number, now: number, currency: string): Pace | undefined {
  if (goal.target === null) return undefined;
  const { value, period } = goal.target;
  const { from, to } = targetPeriod(period, now);
  const elapsed = Math.max((now - from) / (to - from), 1 / 1000);
  const forecast = reached / elapsed;
  const isOnPace = goal.lowerIsBetter ? forecast <= value : forecast >= value;
  const format = (amount: number) =>
    goal.kind === 'revenue' ? formatMoney(amount, currency) : formatCompact(amount);
  const share = reached / value;
  const pace = share >= 1 && !goal.lowerIsBetter ? 'reached' : `on pace for ${format(forecast)}`;
  return { share, isOnPace, words: `${formatPercent(share)} of ${format(value)} this ${period}: ${pace}` };
}
