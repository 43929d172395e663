import { AA_METHOD } from '../report/aa-method.ts';
import type { Report } from '../report/report.ts';
import { unitOf } from '../report/report-metrics.ts';
import { count, DEFAULT_CURRENCY, percent, plural, values } from './numbers.ts';

type GoalReport = Report['goals'][number];

export type AaCause =
  | { readonly cause: 'split'; readonly pValue: number }
  | { readonly cause: 'goal'; readonly goal: GoalReport; readonly pValue: number }
  | { readonly cause: 'tracking'; readonly words: string };

export interface AaFacts {
  /** `assignment`: visitors were assigned while counting. `exposures`: pages recorded what they showed. */
  readonly mode: 'assignment' | 'exposures';
  /** Share of all visitors that were counted; below 1 for a random sample. */
  readonly share: number;
  /** Code of the currency that amounts are shown in; default: USD. */
  readonly currency?: string | undefined;
  readonly verdict: 'sound' | 'alarm' | 'collecting';
  /** In the order of the variations. */
  readonly visitors: readonly number[];
  readonly causes: readonly AaCause[];
  readonly goals: number;
  /** Goals with enough conversions. */
  readonly comparedGoals: number;
}

/** Names of further goals would only make the text longer. */
const MAX_NAMED = 3;

/** The verdict as text: what was found, how large it is, and what to check. */
export function aaWords(facts: AaFacts): string {
  switch (facts.verdict) {
    case 'sound':
      return `Sound: ${describeSplit(facts)}, and ${describeGoals(facts)}`;
    case 'collecting':
      return `Collecting: ${describeMissing(facts)}`;
    case 'alarm':
      return `Alarm: ${describeCauses(facts).join(' ')} By chance alone, at most ${percent(AA_METHOD.falseAlarms)} of rounds raise an alarm: if the next round is sound, it was probably chance.`;
  }
}

/** How many of the finished rounds were sound; takes the last verdict of each. */
export function aaSummary(finished: readonly AaFacts['verdict'][]): string {
  if (finished.length === 0) return 'No round has finished yet.';
  const number = (verdict: AaFacts['verdict']) => finished.filter((it) => it === verdict).length;
  const [sound, alarm, collecting] = [number('sound'), number('alarm'), number('collecting')];
  const rounds = finished.length === 1 ? 'finished round was' : 'finished rounds were';
  const rest = [
    ...(alarm > 0 ? [`${alarm} ended with an alarm`] : []),
    ...(collecting > 0 ? [`${collecting} had too little data`] : []),
  ];
  return [`${sound} of ${finished.length} ${rounds} sound`, ...rest].join('; ').concat('.');
}

function describeSplit({ visitors, share: counted }: AaFacts): string {
  const total = visitors.reduce((sum, number) => sum + number, 0);
  const sample = counted < 1 ? ` (a random sample of ${percent(counted)})` : '';
  const shares = visitors.map((number) => share(number / total)).join(' to ');
  return `${count(total)} visitors${sample} were split ${shares}`;
}

function describeGoals({ goals, comparedGoals }: AaFacts): string {
  if (goals === 0) return 'there are no goals to compare.';
  const found = comparedGoals === 1 ? 'the goal does not differ' : `none of ${comparedGoals} goals differs`;
  const left = goals - comparedGoals;
  if (left === 0) return `${found}.`;
  return `${found}; ${left === 1 ? '1 goal has' : `${left} goals have`} too few conversions to compare.`;
}

function describeMissing(facts: AaFacts): string {
  const total = facts.visitors.reduce((sum, number) => sum + number, 0);
  if (total >= AA_METHOD.minVisitors) {
    return `${describeSplit(facts)}, which is within chance; no goal has ${AA_METHOD.minConverted} converted visitors yet.`;
  }
  const hint =
    facts.mode === 'exposures' && total === 0 ? ' Pages must ask the SDK for the split test "aa-test".' : '';
  return `${plural(total, 'visitor')} so far; it takes ${AA_METHOD.minVisitors}.${hint}`;
}

function describeCauses(facts: AaFacts): string[] {
  const goals = facts.causes.filter((it) => it.cause === 'goal');
  const unnamed = goals.length - MAX_NAMED;
  return [
    ...facts.causes.filter((it) => it.cause === 'split').map(({ pValue }) => splitCause(facts, pValue)),
    ...goals.slice(0, MAX_NAMED).map(({ goal, pValue }) => goalCause(goal, pValue, facts.currency)),
    ...(unnamed > 0 ? [`So ${unnamed === 1 ? 'does 1 other goal' : `do ${unnamed} other goals`}.`] : []),
    ...(goals.length > 0
      ? [
          'Check that every conversion is sent once and with the session of its visitor, and that no single visitor or crawler makes the difference.',
        ]
      : []),
    ...facts.causes.filter((it) => it.cause === 'tracking').map(({ words }) => words),
  ];
}

function splitCause(facts: AaFacts, pValue: number): string {
  const check =
    facts.mode === 'exposures'
      ? 'Check that pages send the exposures of both variations, and that every visitor has an id of their own and keeps it.'
      : 'Check that every visitor has an id of their own and keeps it, and that nothing filters sessions out.';
  return `${describeSplit(facts)} instead of 50 % to 50 % (${probability(pValue)}). ${check}`;
}

function goalCause({ goal, metrics }: GoalReport, pValue: number, currency = DEFAULT_CURRENCY): string {
  const deciding = metrics.find(({ decides }) => decides)!;
  const [first, second] = deciding.variations.map(({ mean }) => mean ?? 0);
  const [a, b] = values(first ?? 0, second ?? 0, unitOf(deciding), currency);
  const what = goal.kind === 'count' ? 'of the visitors converted' : 'per visitor';
  return `"${goal.name}" differs between two groups that are treated alike: ${a} and ${b} ${what} (${probability(pValue)}).`;
}

/** With a digit more than elsewhere, because a split is close to even. */
const share = (part: number) => `${(100 * part).toFixed(1)} %`;

const probability = (pValue: number) => (pValue < 0.001 ? 'p < 0.001' : `p = ${pValue.toPrecision(2)}`);
