import type { Condition, Rule } from '../api/targeting.ts';
import { parseInstant } from '../evaluation/instant.ts';
import { operatorKind } from '../evaluation/operators.ts';
import { HAS_ONE_VALUE, OPERATOR_WORDS } from './operator-words.ts';
import { quoteValue } from './quote-value.ts';
import type { SentenceFormat } from './sentence-format.ts';

type ConditionValue = NonNullable<Condition['values']>[number];
type ConditionFormat = Pick<SentenceFormat, 'segments' | 'time' | 'maxConditions'>;

const MAX_LISTED = 5;

/** A condition as part of a sentence, such as "country is one of DE, AT". */
export function conditionSentence(condition: Condition, format: ConditionFormat): string {
  const { attribute, operator, values = [], caseInsensitive = false } = condition;
  const kind = operatorKind(operator);
  const subject = kind === 'segment' ? 'the visitor' : attribute || '…';
  const counted = HAS_ONE_VALUE.has(operator) ? values.slice(0, 1) : values;
  const words = `${subject} ${verb(condition, counted.length > 1)}`;
  if (kind === 'presence') return words;
  const listed = list(counted, (value) => describeValue(value, kind, format));
  const suffix = caseInsensitive && (kind === 'text' || kind === 'pattern') ? ' (ignoring case)' : '';
  return `${words} ${listed}${suffix}`;
}

/** All conditions of a rule or segment; empty if there are none. */
export function conditionsSentence(
  conditions: readonly Condition[],
  match: Rule['match'],
  format: ConditionFormat,
): string {
  const { maxConditions = conditions.length } = format;
  const word = match === 'any' ? ' or ' : ' and ';
  const shown = conditions.slice(0, maxConditions).map((condition) => conditionSentence(condition, format));
  const more = conditions.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(word);
}

function verb({ operator, negate = false }: Condition, isList: boolean): string {
  const words = OPERATOR_WORDS[operator][negate ? 'isNot' : 'is'];
  switch (operator) {
    case 'equals':
    case 'notEquals':
    case 'in':
    case 'notIn':
      if (words === 'is' || words === 'is one of') return isList ? 'is one of' : 'is';
      return isList ? 'is none of' : 'is not';
    case 'inSegment':
      return isList ? `is in ${negate ? 'none' : 'one'} of the segments` : words;
    default:
      return isList ? `${words} any of` : words;
  }
}

function list(values: readonly ConditionValue[], describe: (value: ConditionValue) => string): string {
  if (values.length === 0) return '…';
  const more = values.length - MAX_LISTED;
  const shown = values.slice(0, MAX_LISTED).map(describe).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function describeValue(value: ConditionValue, kind: string, { segments, time }: ConditionFormat): string {
  if (kind === 'segment') {
    const segment = segments.find(({ id }) => id === value);
    return segment?.name || String(value);
  }
  const instant = kind === 'instant' ? parseInstant(value) : undefined;
  return instant === undefined ? quoteValue(String(value)) : time(instant);
}
