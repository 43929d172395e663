import type { Rollout, Rule } from '../api/targeting.ts';
import { conditionsSentence } from './condition-sentence.ts';
import { flagValueWords } from './flag-value-words.ts';
import type { SentenceFormat } from './sentence-format.ts';

/** "If country is one of DE, AT and plan is pro, serve true to 20 %" */
export function ruleSentence(rule: Rule, format: SentenceFormat): string {
  const conditions = conditionsSentence(rule.conditions ?? [], rule.match, format);
  const value = servedValues(rule, format);
  const share = rule.rollout === undefined ? '' : shareWords(rule.rollout, conditions === '', format);
  return conditions === ''
    ? `Serve ${value} to ${share || 'everyone'}`
    : `If ${conditions}, serve ${value}${share && ` to ${share}`}`;
}

/** `a`, or `a (25 %) or b (75 %)` */
export function servedValues({ value, split }: Rule, { percent }: Pick<SentenceFormat, 'percent'>): string {
  if (split === undefined) return flagValueWords(value ?? null);
  const total = split.reduce((sum, { weight }) => sum + weight, 0);
  const share = (weight: number) => percent(total === 0 ? 0 : Math.round((weight / total) * 1000) / 10);
  const parts = split.map((entry) => `${flagValueWords(entry.value)} (${share(entry.weight)})`);
  return `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`;
}

function shareWords(
  { percentage, by, schedule = [] }: Rollout,
  isEveryone: boolean,
  { percent, time }: SentenceFormat,
): string {
  const of = isEveryone ? ' of everyone' : '';
  const attribute = by === undefined ? '' : ` by ${by}`;
  const [next] = schedule;
  const change = next ? `, ${percent(next.percentage)} from ${time(next.at)}` : '';
  const others = schedule.length - 1;
  const more = others > 0 ? ` and ${others} more ${others === 1 ? 'step' : 'steps'}` : '';
  return `${percent(percentage)}${of}${attribute}${change}${more}`;
}
