import { explainFlag } from '@switchyard/core/evaluation/explain-flag';

type Targeting = Parameters<typeof explainFlag>[1];
type Steps = NonNullable<ReturnType<typeof explainFlag>>['steps'];
type RuleStep = Steps['rules'][number];
type Rollout = NonNullable<RuleStep['rollout']>;
type SplitSteps = NonNullable<Rollout['split']>;
type ConditionStep = NonNullable<RuleStep['conditions']>[number];

const MAX_VALUES = 3;
const MAX_LENGTH = 60;

interface FlagQuestion {
  key: string;
  /** The flags and segments of one environment, as the service returns them. */
  targeting: { flags: readonly unknown[]; segments: readonly unknown[] };
  context: Readonly<Record<string, unknown>>;
  compileRegex: (pattern: string, caseInsensitive: boolean) => (text: string) => boolean;
}

/** Why a flag has its value, such as "rule 1 (staff) matches". */
export function narrateFlag({ key, targeting, context, compileRegex }: FlagQuestion): string {
  const explained = explainFlag(key, targeting as unknown as Targeting, context, {
    regex: compileRegex,
  });
  if (!explained) return 'there is no such flag';
  const { evaluation, ruleIndex, steps, unknown } = explained;
  const missing = unknown.length > 0 ? `; the context has no ${unknown.join(', ')}` : '';
  return `${reasonWords(evaluation.reason, steps, ruleIndex)}${missing}`;
}

function reasonWords(reason: string, steps: Steps, ruleIndex: number | undefined): string {
  const { configured, enabled, prerequisites, rules } = steps;
  if (!configured) return 'the default value, because the environment has no configuration of the flag';
  if (!enabled) return 'the default value, because the flag is disabled in the environment';
  const unmet = prerequisites.find(({ met }) => !met);
  if (unmet) {
    return `the default value, because the prerequisite ${unmet.flag} is ${short(unmet.actual)}, not ${short(unmet.expected)}`;
  }
  if (ruleIndex !== undefined) return servedWords(rules[ruleIndex]!);
  if (reason === 'STATIC') return 'the value of the environment, which has no rules';
  const missed = rules.filter(({ outcome }) => outcome !== 'turned-off').map(missedWords);
  return `the value of the environment, because no rule matches (${missed.join('; ')})`;
}

const nameOf = ({ index, id, name }: RuleStep) => `rule ${index + 1} (${name ?? id})`;

function servedWords(rule: RuleStep): string {
  const { rollout, conditions = [], match } = rule;
  const held = conditions.filter(({ matched }) => matched).map(conditionWords);
  const why = held.length > 0 ? `: ${held.join(match === 'any' ? ' or ' : ' and ')}` : '';
  return `${nameOf(rule)} matches${why}${rollout ? `; ${drawWords(rollout)}` : ''}`;
}

function missedWords(rule: RuleStep): string {
  if (rule.rollout) return `${nameOf(rule)}: ${drawWords(rule.rollout)}`;
  const failed = (rule.conditions ?? []).filter(({ matched }) => !matched).map(conditionWords);
  return `${nameOf(rule)}: not ${failed.join(', not ')}`;
}

function drawWords(rollout: Rollout): string {
  const { percentage, attribute, bucket, included, split } = rollout;
  if (split) return splitWords(rollout, split);
  if (percentage >= 100) return 'rolled out to 100 %';
  if (bucket === null) return 'the context has no id for the rollout';
  return `the draw of ${attribute}, ${bucket.toFixed(2)}, is ${included ? '' : 'not '}below ${percentage}`;
}

function splitWords({ percentage, attribute, bucket }: Rollout, split: SplitSteps): string {
  const served = split.find((entry) => entry.served);
  if (served && served.from === 0 && served.to === 100) return `everybody gets variant ${served.variant}`;
  if (percentage <= 0) return 'it is rolled out to 0 %';
  if (bucket === null) return 'the context has no id for the split';
  const draw = `the draw of ${attribute}, ${bucket.toFixed(2)},`;
  if (served) return `${draw} is within ${rangeWords(served)}, which gets variant ${served.variant}`;
  const ranges = split.filter(({ from, to }) => from < to).map(rangeWords);
  return `${draw} is not within ${ranges.join(' or ')}`;
}

const rangeWords = ({ from, to }: SplitSteps[number]) => `${number(from)} to ${number(to)}`;
const number = (value: number) => String(Number(value.toFixed(2)));

function conditionWords({ attribute, operator, values = [], negate, segments }: ConditionStep): string {
  const listed = segments ? segments.map(({ id }) => id) : values;
  const shown = listed.slice(0, MAX_VALUES).map(short).join(', ');
  const more = listed.length > MAX_VALUES ? ', …' : '';
  return [negate ? 'not' : '', attribute ?? '', operator, shown + more].filter(Boolean).join(' ');
}

function short(value: unknown): string {
  const text = String(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
