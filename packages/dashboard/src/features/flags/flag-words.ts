import type { FlagValue, Rollout, Rule, Segment } from '@switchyard/core/api/targeting';
import { formatDateTime, formatPercent, plural } from '../../ui/format.ts';
import type { Flag, FlagEnvironment } from '../configuration/configuration-types.ts';
import { conditionsSentence, quoteValue } from '../targeting/condition-sentence.ts';
import { simpleRollout } from './flag-configuration.ts';

export const valueWords = (value: FlagValue | null): string =>
  typeof value === 'string' ? quoteValue(value) : String(value);

const percentWords = (percentage: number): string => formatPercent(percentage / 100);

/** What a flag does in an environment, in a few words: "Off", "20 % true", "3 rules, else false". */
export function environmentWords(flag: Flag, configuration: FlagEnvironment | undefined): string {
  if (configuration === undefined || !configuration.enabled)
    return `${valueWords(flag.defaultValue)} for all`;
  const { value } = configuration;
  const rules = configuration.rules.filter((rule) => rule.enabled !== false);
  const simple = simpleRollout({ rules });
  if (simple)
    return `${rolloutWords(simple.rollout!)} ${valueWords(simple.value)}, else ${valueWords(value)}`;
  if (rules.length === 0) return `${valueWords(value)} for all`;
  return `${plural(rules.length, 'rule')}, else ${valueWords(value)}`;
}

const rolloutWords = ({ percentage, schedule = [] }: Rollout): string =>
  percentWords(percentage) + (schedule.length > 0 ? ' (scheduled)' : '');

/** "If country is one of DE, AT and plan is pro, serve true to 20 %" */
export function ruleSentence(rule: Rule, segments: readonly Pick<Segment, 'id' | 'name'>[]): string {
  const conditions = conditionsSentence(rule.conditions ?? [], rule.match, segments);
  const value = valueWords(rule.value);
  const share = shareWords(rule.rollout, conditions === '');
  return conditions === ''
    ? `Serve ${value} to ${share || 'everyone'}`
    : `If ${conditions}, serve ${value}${share && ` to ${share}`}`;
}

function shareWords(rollout: Rollout | undefined, isEveryone: boolean): string {
  if (rollout === undefined) return '';
  const { percentage, by, schedule = [] } = rollout;
  const of = isEveryone ? ' of everyone' : '';
  const attribute = by === undefined ? '' : ` by ${by}`;
  const [next] = schedule;
  const change = next ? `, ${percentWords(next.percentage)} from ${formatDateTime(next.at)}` : '';
  const more = schedule.length > 1 ? ` and ${plural(schedule.length - 1, 'more step')}` : '';
  return `${percentWords(percentage)}${of}${attribute}${change}${more}`;
}
