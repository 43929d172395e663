import type { RuleChange, RuleGuardrail } from '../../api/decision/decision-rule.ts';
import { count, list, percent, plural, quote } from './numbers.ts';

/** What the parts of a decision rule are called within a sentence. */
export const RULE_SETTING_NAMES: Readonly<Record<RuleChange['what'], string>> = {
  primary: 'primary goal',
  secondary: 'secondary goals',
  guardrails: 'guardrails',
  variations: 'compared variations',
  smallestEffect: 'smallest effect',
  plannedVisitors: 'planned visitors',
  unit: 'what is counted',
  attributionDays: 'time in which conversions count',
  onHarm: 'what happens to harm',
  method: 'method',
  spending: 'error spending',
  alpha: 'accepted error rate',
  sequentialN: 'sample size at which intervals are tightest',
  correction: 'correction for several comparisons',
  cuped: 'use of earlier behaviour',
  preDays: 'days of earlier behaviour',
  winsorize: 'cap of amounts',
  prior: 'prior',
  stratify: 'groups that are compared within',
  shipWithOpenGuardrails: 'shipping with open guardrails',
};

/** A change in words, such as `Smallest effect: 2 % → 5 %`. */
export function describeRuleChange({
  what,
  before,
  after,
}: Pick<RuleChange, 'what' | 'before' | 'after'>): string {
  if (what === 'primary' || what === 'secondary' || what === 'guardrails')
    return describeGoalChange(what, before as RuleGuardrail | null, after as RuleGuardrail | null);
  const name = RULE_SETTING_NAMES[what];
  return `${name[0]!.toUpperCase()}${name.slice(1)}: ${valueWords(what, before)} → ${valueWords(what, after)}`;
}

const ROLES = { primary: 'Primary goal', secondary: 'Secondary goal', guardrails: 'Guardrail' };

function describeGoalChange(
  what: keyof typeof ROLES,
  before: RuleGuardrail | null,
  after: RuleGuardrail | null,
): string {
  const subject = `${ROLES[what]} ${quote((after ?? before)!.name)}`;
  if (after === null) return `${subject}: removed`;
  if (before === null) {
    const margin = what === 'guardrails' ? `, with a margin of ${percent(after.maxHarm)}` : '';
    return `${subject}: added${margin}`;
  }
  const parts = [
    ...(before.maxHarm === after.maxHarm
      ? []
      : [`margin ${percent(before.maxHarm)} → ${percent(after.maxHarm)}`]),
    ...(before.lowerIsBetter === after.lowerIsBetter
      ? []
      : [`${direction(before.lowerIsBetter)} is better → ${direction(after.lowerIsBetter)} is better`]),
  ];
  return `${subject}: ${parts.length === 0 ? 'measured in another way' : parts.join(', ')}`;
}

const direction = (lowerIsBetter: boolean) => (lowerIsBetter ? 'less' : 'more');

type SimpleSetting = Exclude<RuleChange['what'], keyof typeof ROLES>;

function valueWords(what: SimpleSetting, value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0))
    return what === 'prior' ? 'learnt from finished tests' : 'none';
  switch (what) {
    case 'smallestEffect':
      return percent(value as number);
    case 'alpha':
    case 'winsorize':
      return `${Number((100 * (value as number)).toPrecision(6))} %`;
    case 'plannedVisitors':
    case 'sequentialN':
      return count(value as number);
    case 'attributionDays':
    case 'preDays':
      return plural(value as number, 'day');
    case 'unit':
      return `${value}s`;
    case 'variations':
    case 'stratify':
      return list(value as string[]);
    case 'prior': {
      const { mean, sd } = value as { mean: number; sd: number };
      return `${percentOrZero(mean)}, give or take ${percent(sd)}`;
    }
    case 'cuped':
    case 'shipWithOpenGuardrails':
      return value ? 'on' : 'off';
    default:
      return String(value);
  }
}

const percentOrZero = (share: number) => (share === 0 ? '0 %' : `${share < 0 ? '-' : ''}${percent(share)}`);
