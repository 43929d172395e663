import type { FlagValue, Rule, Segment } from '@switchyard/core/api/targeting';
import { sameJson } from '@switchyard/core/merge/json-value';
import { flagValueWords } from '@switchyard/core/words/flag-value-words';
import type { Flag } from '../configuration/configuration-types.ts';
import { ruleSentence } from './environment-words.ts';
import { configurationIn } from './flag-configuration.ts';

/** One line of a comparison; null where the environment does not have it. */
export interface ComparedLine {
  label: string;
  from: string | null;
  to: string | null;
  isSame: boolean;
}

/** What a flag does in two environments, line by line. Rules with the same id are compared with each other. */
export function compareEnvironments(
  flag: Flag,
  from: string,
  to: string,
  segments: readonly Pick<Segment, 'id' | 'name'>[],
): ComparedLine[] {
  const a = configurationIn(flag, from);
  const b = configurationIn(flag, to);
  const ids = [...new Set([...a.rules, ...b.rules].map(({ id }) => id))];
  const sameOrder = sameJson(orderOf(a.rules, b.rules), orderOf(b.rules, a.rules));
  return [
    line('State', a.enabled, b.enabled, (enabled) => (enabled ? 'On' : 'Off')),
    line('Prerequisites', a.prerequisites, b.prerequisites, prerequisiteWords),
    ...ids.map((id) => {
      const [left, right] = [a, b].map(({ rules }) => rules.findIndex((rule) => rule.id === id));
      const words = (rule: Rule | undefined, index = -1) =>
        rule === undefined
          ? null
          : `${index + 1}. ${rule.enabled === false ? '(off) ' : ''}${ruleSentence(rule, segments)}${rule.measure ? ', measured' : ''}`;
      const [ruleA, ruleB] = [a.rules[left!], b.rules[right!]];
      return {
        label: ruleA?.name ?? ruleB?.name ?? `Rule ${id}`,
        from: words(ruleA, left),
        to: words(ruleB, right),
        isSame: sameJson(ruleA, ruleB) && (sameOrder || left === right),
      };
    }),
    line('Everyone else', a.value, b.value, flagValueWords),
  ];
}

/** The ids of rules that both have, in the order of the first. */
const orderOf = (rules: readonly Rule[], others: readonly Rule[]) =>
  rules.map(({ id }) => id).filter((id) => others.some((other) => other.id === id));

/** Compares the values: their words may be shortened. */
function line<T>(label: string, from: T, to: T, words: (value: T) => string): ComparedLine {
  return { label, from: words(from), to: words(to), isSame: sameJson(from, to) };
}

const prerequisiteWords = (prerequisites: readonly { flag: string; value: FlagValue }[]) =>
  prerequisites.map(({ flag, value }) => `${flag} is ${flagValueWords(value)}`).join(' and ') || 'None';
