import type { Rollout, Rule, Segment } from '@switchyard/core/api/targeting';
import { flagValueWords } from '@switchyard/core/words/flag-value-words';
import { ruleSentence as sentence, servedValues } from '@switchyard/core/words/rule-sentence';
import { formatDateTime, formatPercent, plural } from '../../ui/format/format.ts';
import type { Flag, FlagEnvironment } from '../configuration/configuration-types.ts';
import { onlyRule } from './flag-configuration.ts';

const percentWords = (percentage: number): string => formatPercent(percentage / 100);

type NamedFlags = readonly Pick<Flag, 'key' | 'name'>[];

/** What a flag does in an environment, in a few words: "false for all", "20 % true, else false", "true if New search is true". */
export function environmentWords(
  flag: Flag,
  configuration: FlagEnvironment | undefined,
  flags: NamedFlags,
): string {
  if (configuration === undefined || !configuration.enabled)
    return `${flagValueWords(flag.defaultValue)} for all`;
  const { value, prerequisites } = configuration;
  const condition = prerequisiteWords(prerequisites, flags);
  const rules = configuration.rules.filter((rule) => rule.enabled !== false);
  if (rules.length === 0) return `${flagValueWords(value)} ${condition || 'for all'}`;
  const only = onlyRule({ rules });
  const words = (only && shareWords(only)) ?? plural(rules.length, 'rule');
  // Nobody is left, except without an id.
  const others = only?.split && only.rollout === undefined ? '' : `, else ${flagValueWords(value)}`;
  return `${words}${others}${condition && `, ${condition}`}`;
}

/** "20 % true", "a (25 %) or b (75 %)", "20 % 4 values"; undefined for one value for everyone. */
function shareWords(rule: Rule): string | undefined {
  const { rollout, split } = rule;
  if (rollout === undefined && split === undefined) return undefined;
  const percentage = rollout ? `${rolloutWords(rollout)} ` : '';
  if (split && split.length > MAX_LISTED) return `${percentage}${plural(split.length, 'value')}`;
  return percentage + servedValues(rule, { percent: percentWords });
}

/** More values do not fit into a cell. */
const MAX_LISTED = 3;

/** "if New search is true"; empty without prerequisites. */
function prerequisiteWords(prerequisites: FlagEnvironment['prerequisites'], flags: NamedFlags): string {
  const words = prerequisites.map(({ flag, value }) => {
    const name = flags.find(({ key }) => key === flag)?.name || flag;
    return `${name} is ${flagValueWords(value)}`;
  });
  return words.length === 0 ? '' : `if ${words.join(' and ')}`;
}

const rolloutWords = ({ percentage, schedule = [] }: Rollout): string =>
  percentWords(percentage) + (schedule.length > 0 ? ' (scheduled)' : '');

/** "If country is one of DE, AT and plan is pro, serve true to 20 %" */
export const ruleSentence = (rule: Rule, segments: readonly Pick<Segment, 'id' | 'name'>[]): string =>
  sentence(rule, { segments, time: formatDateTime, percent: percentWords });
