import type { Rollout, Rule, Segment } from '@switchyard/core/api/targeting';
import { flagValueWords } from '@switchyard/core/words/flag-value-words';
import { ruleSentence as sentence } from '@switchyard/core/words/rule-sentence';
import { formatDateTime, formatPercent, plural } from '../../ui/format.ts';
import type { Flag, FlagEnvironment } from '../configuration/configuration-types.ts';
import { simpleRollout } from './flag-configuration.ts';

const percentWords = (percentage: number): string => formatPercent(percentage / 100);

/** What a flag does in an environment, in a few words: "Off", "20 % true", "3 rules, else false". */
export function environmentWords(flag: Flag, configuration: FlagEnvironment | undefined): string {
  if (configuration === undefined || !configuration.enabled)
    return `${flagValueWords(flag.defaultValue)} for all`;
  const { value } = configuration;
  const rules = configuration.rules.filter((rule) => rule.enabled !== false);
  const simple = simpleRollout({ rules });
  if (simple)
    return `${rolloutWords(simple.rollout!)} ${flagValueWords(simple.value)}, else ${flagValueWords(value)}`;
  if (rules.length === 0) return `${flagValueWords(value)} for all`;
  return `${plural(rules.length, 'rule')}, else ${flagValueWords(value)}`;
}

const rolloutWords = ({ percentage, schedule = [] }: Rollout): string =>
  percentWords(percentage) + (schedule.length > 0 ? ' (scheduled)' : '');

/** "If country is one of DE, AT and plan is pro, serve true to 20 %" */
export const ruleSentence = (rule: Rule, segments: readonly Pick<Segment, 'id' | 'name'>[]): string =>
  sentence(rule, { segments, time: formatDateTime, percent: percentWords });
