import type {
  DecisionRule,
  DecisionRuleReport,
  RuleChange,
  RuleGoal,
} from '../../api/decision/decision-rule.ts';
import { visitorsForQuantile } from '../metrics/metric-arms.ts';
import type { MeasureName } from '../metrics/metric-measures.ts';
import { MIN_CONVERSIONS } from '../report/health.ts';
import { engineOf } from '../report/report-method.ts';
import { count, list, percent, plural, quote } from './numbers.ts';
import { RULE_SETTING_NAMES } from './rule-change-words.ts';

/** What decides about a test, a sentence each: exactly what `decideVerdict` does. */
export function describeRule(rule: DecisionRule): string[] {
  const { primary, guardrails, secondary } = rule;
  if (primary === null) return ['The test has no primary goal, so it has no verdict.'];
  return [
    `We decide by ${quote(primary.name)}: ${measureOf(primary)}${primary.lowerIsBetter ? '; less is better' : ''}.`,
    describeSmallestEffect(rule),
    ...guardrails.map(describeGuardrail),
    describeEnd(rule),
    describeShip(rule, primary),
    describeRollBack(rule, primary),
    describeNoDifference(rule),
    ...(rule.onHarm === 'stop' ? [describeStop(rule)] : []),
    'In every other case, there is no decision yet.',
    describeProof(rule),
    ...(guardrails.length > 0 ? [describeGuardrailStates()] : []),
    describeFirstEvaluation(rule),
    ...(secondary.length > 0 ? [describeSecondary(secondary)] : []),
    ...describeCounting(rule),
  ];
}

function measureOf(goal: RuleGoal): string {
  switch (goal.kind) {
    case 'count':
      return 'the share of visitors who reach it';
    case 'revenue':
      return 'the revenue per visitor';
    case 'feedback':
      return goal.option == null
        ? 'the share of visitors who answer'
        : `the share of ${quote(goal.option)} among the visitors who answer`;
    case 'metric':
      return goal.fromDay === undefined
        ? `${METRIC_MEASURES[goal.measure as MeasureName](goal)}${windowOf(goal)}`
        : describeRetention(goal, goal.fromDay);
  }
}

const METRIC_MEASURES: Readonly<Record<MeasureName, (goal: RuleGoal) => string>> = {
  'conversion-rate': () => 'the share of visitors who reach it',
  'conversions-per-visitor': () => 'how often it is reached per visitor',
  'sum-per-visitor': () => 'the sum per visitor',
  'visitor-share': () => 'the share of visitors who do it',
  'views-per-visitor': () => 'the page views per visitor',
  'events-per-visitor': () => 'the events per visitor',
  'bounce-rate': () => 'the share of sessions with a single page view',
  ratio: () => 'the ratio of its two sums over all visitors',
  'retention-rate': () => 'the share of visitors who come back',
  'completion-rate': () => 'the share of visitors who complete it',
  'step-rate': () => 'the share of visitors who reach a step',
  quantile: ({ quantile = 0.5 }) => `the ${exactPercent(quantile)} quantile of its values`,
};

/** Its last day is the one before the window is over. */
function describeRetention({ goalName, withinDays }: RuleGoal, fromDay: number): string {
  const toDay = withinDays! - 1;
  const days = fromDay === toDay ? `day ${fromDay}` : `days ${fromDay} to ${toDay}`;
  const comes = goalName === undefined ? 'come back' : `reach ${quote(goalName)}`;
  return `the share of visitors who ${comes} on ${days} after the first exposure`;
}

const windowOf = ({ withinDays }: RuleGoal) =>
  withinDays == null ? '' : `, in ${plural(withinDays, 'day')} from the first exposure on`;

const describeSmallestEffect = ({ smallestEffect }: DecisionRule) =>
  smallestEffect === null
    ? 'No change is too small to matter.'
    : `A change smaller than ${percent(smallestEffect)} does not matter.`;

const describeGuardrail = ({ name, lowerIsBetter, maxHarm }: DecisionRule['guardrails'][number]) =>
  `${quote(name)} must not get worse by more than ${percent(maxHarm)}${lowerIsBetter ? '; less is better' : ''}.`;

function describeEnd(rule: DecisionRule): string {
  const { plannedVisitors: planned } = rule;
  switch (engineOf(rule)) {
    case 'group-sequential':
      return `The test ends at ${count(planned!)} visitors, or before if the result is clear.`;
    case 'frequentist':
      return planned === null
        ? 'The test has no planned end, and its method is valid for one look at the results only.'
        : `The test ends at ${count(planned)} visitors and is evaluated then, or when it is stopped.`;
    default:
      return planned === null
        ? 'The test has no planned end: it can be decided on every day.'
        : `The test can be decided on every day; ${plural(planned, 'visitor')} are planned, which decides nothing.`;
  }
}

function describeShip(rule: DecisionRule, { name }: RuleGoal): string {
  const { guardrails, statistics } = rule;
  const guarded =
    guardrails.length === 0
      ? ''
      : statistics.shipWithOpenGuardrails
        ? ', and no guardrail is harmed'
        : ', and every guardrail is safe';
  return `Ship: ${quote(name)} is proven better than in the control${unlessSmall(rule)}${guarded}.`;
}

function describeRollBack(rule: DecisionRule, { name }: RuleGoal): string {
  const harm = rule.guardrails.length > 0 ? 'a guardrail is harmed, or ' : '';
  return `Roll back: ${harm}${quote(name)} is proven worse than in the control${unlessSmall(rule)}.`;
}

/** A change that is certain but small is no difference. */
const unlessSmall = ({ smallestEffect }: DecisionRule) =>
  smallestEffect === null ? '' : `, and a change of ${percent(smallestEffect)} or more is possible`;

function describeNoDifference(rule: DecisionRule): string {
  const { smallestEffect, plannedVisitors } = rule;
  const engine = engineOf(rule);
  const endsAtPlan = plannedVisitors !== null && (engine === 'group-sequential' || engine === 'frequentist');
  const reasons = [
    ...(smallestEffect === null ? [] : [`a change of ${percent(smallestEffect)} or more is ruled out`]),
    ...(endsAtPlan ? [`nothing is proven at ${count(plannedVisitors)} visitors`] : []),
    ...(engine === 'group-sequential' ? ['a proof by then has become unlikely'] : []),
  ];
  if (reasons.length === 0)
    return 'No difference: never concluded, because nothing says which change is too small to matter.';
  return `No difference: ${reasons.join(', or ')}.`;
}

/** See `findHarm`. */
const describeStop = ({ guardrails }: DecisionRule) =>
  `A variation that is proven to make the primary goal${guardrails.length > 0 ? ' or a guardrail' : ''} worse is retired automatically, and the test stops when no other is left.`;

function describeProof(rule: DecisionRule): string {
  const { alpha } = rule.statistics;
  const engine = engineOf(rule);
  if (engine === 'bayesian')
    return `"Proven" means a probability of more than ${exactPercent(1 - alpha / 2)}, given the prior.`;
  const looks = {
    sequential: ', however often the results are checked',
    'group-sequential': ', with all checks until the planned end',
    frequentist: ', with one look at the results',
  }[engine];
  const claim = `"Proven" means that a test without any difference claims one in at most ${exactPercent(alpha)} of the cases${looks}`;
  return `${claim}${describeCorrection(rule)}.`;
}

/** Of the primary goal, only the variations are compared several times. */
function describeCorrection({ variations, statistics }: DecisionRule): string {
  if (variations.length <= 2) return '';
  switch (statistics.correction) {
    case 'holm':
      return ', over all variations together';
    case 'benjamini-hochberg':
      return '; with several variations, at most this share of the claims is expected to be wrong';
    case 'none':
      return ', for each variation on its own';
  }
}

/** Whatever the method of the test, see `guardrailMethod`. */
const describeGuardrailStates = () =>
  'A guardrail is safe when harm beyond its margin is ruled out, and harmed when it is proven worse and not safe; both are valid however often they are checked.';

function describeFirstEvaluation({ primary, guardrails }: DecisionRule): string {
  const needed =
    primary?.measure === 'quantile'
      ? `${Math.ceil(visitorsForQuantile(primary.quantile ?? 0.5))} visitors with values`
      : `${MIN_CONVERSIONS} conversions`;
  const start = `Before the smallest variation can have about ${needed},`;
  return guardrails.length > 0
    ? `${start} only a harmed guardrail decides. While a check of the data fails, nothing does.`
    : `${start} nothing is decided, nor while a check of the data fails.`;
}

const describeSecondary = (goals: readonly RuleGoal[]) =>
  `${list(goals.map(({ name }) => quote(name)))} ${goals.length === 1 ? 'is' : 'are'} watched, but ${goals.length === 1 ? 'does' : 'do'} not decide.`;

function describeCounting(rule: DecisionRule): string[] {
  const { unit, attributionDays, statistics } = rule;
  const { cuped, preDays, winsorize, stratify } = statistics;
  return [
    ...(hasOnlyWindows(rule)
      ? []
      : [`Conversions count until ${plural(attributionDays, 'day')} after the end.`]),
    ...(unit === 'user' ? ['Visitors of the same user count as one.'] : []),
    ...(cuped ? [`What visitors did in the ${plural(preDays, 'day')} before is taken into account.`] : []),
    ...(winsorize === null ? [] : [`Amounts are capped at the ${exactPercent(winsorize)} quantile.`]),
    ...(stratify.length > 0 ? [`Visitors are compared within the same ${list(stratify)}.`] : []),
  ];
}

/** Metrics with a window do not look at the end of the test. */
const hasOnlyWindows = ({ primary, secondary, guardrails }: DecisionRule) =>
  [...(primary === null ? [] : [primary]), ...secondary, ...guardrails].every(
    ({ withinDays }) => withinDays != null,
  );

/** Rates that people set, with the digits that they gave. */
const exactPercent = (share: number) => `${Number((100 * share).toPrecision(6))} %`;

/** Of a rule that was changed, while the history is out of reach. */
export const ORIGINS_UNKNOWN =
  'When this was changed, and by whom, is in the history, which cannot be read at present.';

/** Whether the rule stands as it was fixed. */
export function describeRuleState(
  state: DecisionRuleReport['state'],
  changes: readonly Pick<RuleChange, 'what'>[],
): string {
  if (state === 'not-started')
    return 'Not fixed yet: this is what applies now, and it is fixed at the start.';
  if (state === 'started-before')
    return 'The test started before rules were fixed: this is what applies now, and nobody can tell what was changed after the start.';
  if (changes.length === 0) return 'Fixed at the start, and unchanged since.';
  const names = [...new Set(changes.map(({ what }) => RULE_SETTING_NAMES[what]))];
  return `Fixed at the start. Changed after the start: ${list(names)}.`;
}
