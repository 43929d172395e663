import type { Interval } from '../comparison.ts';
import type { HealthProblem } from '../report/health.ts';
import { type ComparedGoal, decidingResult } from '../report/holdout-findings.ts';
import { unitOf } from '../report/report-metrics.ts';
import { count, list, percent, plural, signedChange, signedPercent } from './numbers.ts';

export const NO_HOLDOUT_WORDS =
  'This property has no holdout. Set its holdout to a percentage, such as 5: these visitors then see no split test, and this report compares them with everybody else.';

/** Names of further goals would only make the text longer. */
const MAX_NAMED = 5;

interface Facts {
  readonly goals: readonly ComparedGoal[];
  readonly problems: readonly { readonly words: string }[];
  readonly share: number;
  readonly currency: string;
}

/** The whole report in a few words. */
export function summarizeHoldout({ goals, problems, share, currency }: Facts): string {
  const sample = share < 1 ? ` Counted from a random sample of ${percent(share)} of the visitors.` : '';
  if (problems.length > 0) return `${problems.map(({ words }) => words).join(' ')}${sample}`;
  if (goals.length === 0) return `The property has no goals to compare.${sample}`;
  return `${describeFindings(goals, currency)}${sample}`;
}

function describeFindings(goals: readonly ComparedGoal[], currency: string): string {
  const having = (finding: ComparedGoal['finding']) => goals.filter((goal) => goal.finding === finding);
  const [better, worse] = [having('better'), having('worse')];
  const proven = [
    ...(better.length > 0 ? [`better on ${named(better, currency)}`] : []),
    ...(worse.length > 0 ? [`worse on ${named(worse, currency)}`] : []),
  ];
  const noun = proven.length > 0 ? 'other goal' : 'goal';
  const open = describeOpen(having('unclear').length, having('collecting').length, noun);
  if (proven.length === 0) return `No difference is proven yet: ${open}.`;
  return `Visitors outside of the holdout do ${proven.join(' and ')}.${open && ` ${open}.`}`;
}

function describeOpen(unclear: number, collecting: number, noun: string): string {
  const subject = unclear > 0 ? count(collecting) : plural(collecting, noun);
  return [
    ...(unclear > 0 ? [`${plural(unclear, noun)} may differ by chance alone`] : []),
    ...(collecting > 0
      ? [`${subject} ${collecting === 1 ? 'has' : 'have'} too few conversions to compare`]
      : []),
  ].join('; ');
}

function named(goals: readonly ComparedGoal[], currency: string): string {
  const names = goals
    .slice(0, MAX_NAMED)
    .map((goal) => `${goal.report.goal.name} (${changeOf(goal, currency).estimate})`);
  const more = goals.length - names.length;
  return list(more > 0 ? [...names, plural(more, 'more goal')] : names);
}

/** What was found about one goal, as a sentence. */
export function describeHoldoutGoal(goal: ComparedGoal, comparisons: number, currency: string): string {
  const { finding, collecting, report } = goal;
  const { absolute, mean } = decidingResult(report);
  if (absolute === null || mean === null) return 'There is nothing to compare yet.';
  if (finding === 'collecting' && collecting !== null) {
    const { conversions, required } = collecting;
    return `Too early: ${count(conversions)} of about ${count(required)} converted visitors that a comparison needs.`;
  }
  const { amount, range, interval } = changeOf(goal, currency);
  const verb = report.goal.kind === 'revenue' ? 'bring' : 'convert';
  const noun = report.goal.kind === 'revenue' ? ' revenue per visitor' : '';
  const change =
    absolute.estimate === 0
      ? `${verb} as much${noun} as those in it`
      : `${verb} ${amount} ${absolute.estimate > 0 ? 'more' : 'less'}${noun}`;
  const measured = `Visitors outside of the holdout ${change}${range}`;
  if (finding === 'unhealthy') return `${measured}; do not rely on it.`;
  if (finding !== 'unclear') return `${measured}.`;
  const isCorrected = comparisons > 1 && isBeyondZero(interval);
  return `${measured}, which could still be chance${isCorrected ? ` because ${count(comparisons)} goals are compared` : ''}.`;
}

const isBeyondZero = ({ low, high }: Interval) => (low !== null && low > 0) || (high !== null && high < 0);

/** Relative, unless the mean of the holdout is zero or negative: percentages of it would mislead. */
function changeOf({ report }: ComparedGoal, currency: string) {
  const deciding = report.metrics.find(({ decides }) => decides)!;
  const { variations } = deciding;
  const [heldOut, others] = [variations[0]!, variations[1]!];
  const unit = unitOf(deciding);
  const isRelative = others.relative !== null && (heldOut.mean ?? 0) > 0;
  const interval = isRelative ? others.relative! : others.absolute!;
  const write = isRelative ? signedPercent : (change: number) => signedChange(change, unit, currency);
  return {
    interval,
    estimate: write(interval.estimate),
    amount: isRelative ? percent(interval.estimate) : write(Math.abs(interval.estimate)).slice(1),
    range: describeRange(interval, write),
  };
}

function describeRange({ low, high }: Interval, write: (change: number) => string): string {
  if (low !== null && high !== null) return `, between ${write(low)} and ${write(high)}`;
  if (low !== null) return `, at least ${write(low)}`;
  return high !== null ? `, at most ${write(high)}` : ', range not known yet';
}

/** How far the visitors are from their plan, and what to check. */
export function describeHoldoutSplit({
  visitors,
  pValue,
}: Extract<HealthProblem, { problem: 'sample-ratio-mismatch' }>): string {
  const heldOut = visitors[0]!;
  const total = visitors.reduce((sum, it) => sum + it.visitors, 0);
  const chance =
    pValue < 1e-9
      ? 'practically never'
      : `about once in ${count(Number((1 / pValue).toPrecision(2)))} reports`;
  return `The visitors are not split as planned: ${count(heldOut.visitors)} of ${count(total)} (${percent(heldOut.visitors / total)}) are in the holdout instead of about ${count(heldOut.expected)} (${percent(heldOut.expected / total)}), which happens by chance ${chance}. Check that visitors keep their id between pages, and that no variation of a test keeps pages from recording sessions.`;
}
