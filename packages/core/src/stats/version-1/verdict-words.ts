import type { HealthProblem } from './health.ts';
import { type Interval, isWithin } from './methods.ts';
import type { GoalOutcome, Verdict } from './verdict.ts';

const YEAR_DAYS = 365;

type Facts = Omit<Verdict, 'words'>;

interface VerdictContext {
  readonly horizon: number | null;
  readonly isOver: boolean;
}

export function describeVerdict(verdict: Facts, context: VerdictContext): string {
  const { decision, variation, primary, visitors } = verdict;
  const measured = `${change(primary)}, measured on ${count(visitors)} visitors`;
  switch (decision) {
    case 'unhealthy':
      return `${describeUnhealthy(verdict)} ${verdict.problems.map(describeProblem).join(' ')}`;
    case 'ship':
      return `Ship "${variation}". ${measured}: that is better, ${describeCertainty(primary)}.`;
    case 'roll-back':
      return verdict.harmedGuardrails.length > 0
        ? `Roll "${variation}" back. It harms what must not get worse: ${verdict.harmedGuardrails.map(change).join('; ')}.`
        : `Roll "${variation}" back. ${measured}: that is worse, ${describeCertainty(primary)}.`;
    case 'no-difference':
      return `No difference that matters between "${variation}" and the control. ${measured}${describeBound(verdict)}.`;
    case 'keep-going':
      return `${describeWaiting(verdict, context)} ${measured}${describeDoubt(context)}.`;
  }
}

function describeUnhealthy({ variation, problems }: Facts): string {
  return problems.every(({ problem }) => problem === 'too-few-conversions')
    ? `It is too early for a verdict on "${variation}".`
    : `No verdict on "${variation}" yet, the data is not sound.`;
}

function describeCertainty({ comparison: { chanceToBeat } }: GoalOutcome): string {
  if (chanceToBeat === null) return 'and chance alone does not explain it';
  const probability = Math.max(chanceToBeat, 1 - chanceToBeat);
  return `with a probability of ${probability > 0.999 ? 'more than 99.9 %' : percent(probability)}`;
}

const describeWaiting = ({ variation, daysLeft }: Facts, { isOver }: VerdictContext) =>
  isOver
    ? `The test ended before there was a verdict on "${variation}".`
    : `Keep "${variation}" going${describeDays(daysLeft)}.`;

const describeDoubt = ({ horizon }: VerdictContext) =>
  horizon === null ? ': this may still be chance' : `; it is judged once, at ${count(horizon)} visitors`;

export function describeProblem(problem: HealthProblem): string {
  switch (problem.problem) {
    case 'sample-ratio-mismatch': {
      const split = problem.visitors.map(
        ({ key, visitors, expected }) =>
          `"${key}" has ${count(visitors)} visitors instead of about ${count(expected)}`,
      );
      return `The visitors are not split as planned: ${split.join(', ')} (p = ${problem.pValue.toPrecision(2)}). Something loses or doubles visitors of one variation.`;
    }
    case 'mixed-visitors':
      return `${count(problem.mixed)} visitors (${percent(problem.share)}) saw more than one variation; they are left out. Visitors are not recognised again, or the test was changed while it ran.`;
    case 'too-few-conversions':
      return `"${problem.variation}" has ${count(problem.conversions)} conversions; it takes ${problem.least} before anything can be said.`;
    case 'novelty': {
      const format = problem.unit === 'relative' ? signedPercent : signed;
      return `"${problem.variation}" works differently on those who came later (${format(problem.late)}) than on those of the first days (${format(problem.early)}); wait until it settles.`;
    }
    case 'missing-exposures': {
      const silent = problem.variations.map((key) => `"${key}" never reported an exposure.`);
      const gaps = problem.days === 0 ? [] : [`${days(problem.days)} passed without any exposure.`];
      return [...silent, ...gaps, 'Exposure events are missing.'].join(' ');
    }
  }
}

function change({ name, comparison: { relative, absolute } }: GoalOutcome): string {
  if (relative !== null) return `${name} changed by ${range(relative, signedPercent)}`;
  if (absolute !== null) return `${name} changed by ${range(absolute, signed)}`;
  return `${name} cannot be compared yet`;
}

function range({ estimate, low, high }: Interval, format: (number: number) => string): string {
  if (low === null || high === null) return format(estimate);
  return `${format(estimate)} (likely between ${format(low)} and ${format(high)})`;
}

function describeBound({ smallestEffect, improvement }: Facts): string {
  if (smallestEffect === null) return '; the planned number of visitors is reached and nothing was found';
  const bound = Math.abs(smallestEffect.value);
  return isWithin(improvement, bound)
    ? `; a change of ${percent(bound)} or more can be ruled out`
    : `; a change of ${percent(bound)} or more would probably have shown by now`;
}

function describeDays(left: number | null): string {
  if (left === null) return '';
  return left > YEAR_DAYS
    ? ', but at the present traffic it takes more than a year'
    : `, about ${days(left)} more at the present traffic`;
}

const days = (number: number) => `${count(number)} ${number === 1 ? 'day' : 'days'}`;

const count = (number: number) => Math.round(number).toLocaleString('en-US');

const percent = (share: number) => `${trim(100 * share)} %`;

const signedPercent = (share: number) => `${signed(100 * share)} %`;

const signed = (number: number) => `${number < 0 ? '-' : '+'}${trim(Math.abs(number))}`;

/** Three significant digits. */
const trim = (number: number) => (number >= 100 ? count(number) : String(Number(number.toPrecision(3))));
