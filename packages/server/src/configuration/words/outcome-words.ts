import { type Names, nameIn, objectOf } from './change-words.ts';
import { isMissing, listWords, shareWords, valueWords } from './value-words.ts';

/** Goals and metrics by their names, and feedback by its type. */
export const outcomeWords = (outcomes: unknown, names: Names): string =>
  Array.isArray(outcomes) ? listWords(outcomes, (each) => outcomeName(each, names)) : valueWords(outcomes);

function outcomeName(outcome: unknown, names: Names): string {
  if (typeof outcome === 'string') return nameIn(names.goals, outcome);
  const { lowerIsBetter, maxHarm } = objectOf(outcome);
  const notes = [
    ...(lowerIsBetter ? ['less is better'] : []),
    ...(isMissing(maxHarm) ? [] : [`harm of at most ${shareWords(maxHarm)}`]),
  ];
  const name = measuredName(outcome, names);
  return notes.length === 0 ? name : `${name} (${notes.join(', ')})`;
}

function measuredName(outcome: unknown, { goals, metrics, feedbackTypes }: Names): string {
  const { goalId, metric, feedbackType, option } = objectOf(outcome);
  if (!isMissing(goalId)) return nameIn(goals, String(goalId));
  if (!isMissing(metric)) return nameIn(metrics, String(metric));
  const answer = isMissing(option) ? 'answers' : valueWords(option);
  return `${nameIn(feedbackTypes, String(feedbackType))}: ${answer}`;
}
