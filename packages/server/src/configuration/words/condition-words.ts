import type { Condition } from '@switchyard/core/api/targeting';
import { conditionSentence } from '@switchyard/core/words/condition-sentence';
import type { ChangeWords, Names } from './change-words.ts';
import { capital, cut, timeWords } from './value-words.ts';

const MAX_SENTENCE_LENGTH = 300;

/** Conditions have no identity: one that changes at its place is a change, all others come or go. */
export function conditionWords(place: string): ChangeWords {
  const of = place === '' ? 'Condition' : `${place}, condition`;
  return ({ from, to, names }) => {
    const [before, after] = [conditionsOf(from), conditionsOf(to)];
    const removed = without(before, after);
    const added = without(after, before);
    const changed = [...removed.keys()].filter((index) => added.has(index));
    const only = (entries: ReadonlyMap<number, Condition>) =>
      [...entries].filter(([index]) => !changed.includes(index));
    const lines = [
      ...changed.map(
        (index) =>
          `${of} ${index + 1}: ${sentence(removed.get(index)!, names)} → ${sentence(added.get(index)!, names)}`,
      ),
      ...only(removed).map(([index, each]) => `${of} ${index + 1} removed: ${sentence(each, names)}`),
      ...only(added).map(([index, each]) => `${of} ${index + 1} added: ${sentence(each, names)}`),
    ];
    return lines.length > 0
      ? lines
      : [place === '' ? 'Conditions reordered' : `${place}: conditions reordered`];
  };
}

const conditionsOf = (value: unknown): readonly Condition[] => (Array.isArray(value) ? value : []);

/** The conditions by index that the others do not have. */
function without(conditions: readonly Condition[], others: readonly Condition[]): Map<number, Condition> {
  const counts = new Map<string, number>();
  for (const each of others) counts.set(textOf(each), (counts.get(textOf(each)) ?? 0) + 1);
  const left = new Map<number, Condition>();
  for (const [index, condition] of conditions.entries()) {
    const count = counts.get(textOf(condition)) ?? 0;
    if (count > 0) counts.set(textOf(condition), count - 1);
    else left.set(index, condition);
  }
  return left;
}

const textOf = (condition: Condition): string =>
  JSON.stringify(Object.entries(condition).sort(([a], [b]) => (a < b ? -1 : 1)));

const sentence = (condition: Condition, { segments = [] }: Names): string =>
  cut(conditionSentence(condition, { segments, time: timeWords }), MAX_SENTENCE_LENGTH);

/** Whether all conditions must match, which is the default, or one is enough. */
export function matchWords(place: string): ChangeWords {
  return ({ from, to, isNew }) => {
    const [before, after] = [from, to].map((match) =>
      match === 'any' ? 'one condition is enough' : 'all conditions must match',
    ) as [string, string];
    if (before === after) return [];
    const text = place === '' ? capital(after) : `${place}: ${after}`;
    return [isNew ? text : `${text} (before: ${before})`];
  };
}
