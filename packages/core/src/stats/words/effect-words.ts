import type { Interval } from '../comparison.ts';
import { type GoalOutcome, isRelative } from '../report/goal-outcome.ts';
import { signedChange, signedPercent, values } from './numbers.ts';

/** Such as "6.9 % → 8.6 %, +24 %, between +8 % and +43 %". */
export function describeChange(goal: GoalOutcome, currency: string): string {
  const { unit, comparison } = goal;
  const usesPercent = isRelative(goal);
  const interval = usesPercent ? comparison.relative : comparison.absolute;
  if (interval === null) return describeValues(goal, currency);
  const write = (change: number) =>
    usesPercent ? signedPercent(change) : signedChange(change, unit, currency);
  return `${describeValues(goal, currency)}${describeEstimate(goal, currency)}${describeRange(interval, comparison.absolute, write)}`;
}

export function describeValues(goal: GoalOutcome, currency: string): string {
  const { control, variation, unit, isPerVisitor = unit === 'dollars' } = goal;
  if (control === null || variation === null) return 'unknown';
  return `${values(control, variation, unit, currency).join(' → ')}${isPerVisitor ? ' per visitor' : ''}`;
}

export function describeEstimate(goal: GoalOutcome, currency: string): string {
  const { unit, comparison } = goal;
  const { relative, absolute } = comparison;
  if (isRelative(goal)) return `, ${signedPercent(relative!.estimate)}`;
  return absolute === null ? '' : `, ${signedChange(absolute.estimate, unit, currency)}`;
}

const UNCERTAIN = 'because the value of the control is too uncertain';

function describeRange(
  { low, high }: Interval,
  absolute: Interval | null,
  write: (change: number) => string,
): string {
  if (low !== null && high !== null) return `, between ${write(low)} and ${write(high)}`;
  if (low !== null && low > -1) return `, at least ${write(low)}, with no upper limit ${UNCERTAIN}`;
  if (high !== null) return `, at most ${write(high)}, with no lower limit ${UNCERTAIN}`;
  const isKnown = absolute !== null && absolute.low !== null;
  return isKnown ? `, with no limits ${UNCERTAIN}` : ', range not known yet';
}
