import type { Condition, Rule, Segment } from '@switchyard/core/api/targeting';
import { parseInstant } from '@switchyard/core/evaluation/instant';
import { operatorKind } from '@switchyard/core/evaluation/operators';
import { formatDateTime } from '../../ui/format.ts';
import { HAS_ONE_VALUE, OPERATOR_WORDS } from './operator-words.ts';

type Named = Pick<Segment, 'id' | 'name'>;
type ConditionValue = NonNullable<Condition['values']>[number];

const MAX_LISTED = 5;
const MAX_LENGTH = 60;

/** A condition as part of a sentence, such as "country is one of DE, AT". */
export function conditionSentence(condition: Condition, segments: readonly Named[]): string {
  const { attribute, operator, values = [], caseInsensitive = false } = condition;
  const kind = operatorKind(operator);
  const subject = kind === 'segment' ? 'the visitor' : attribute || '…';
  const counted = HAS_ONE_VALUE.has(operator) ? values.slice(0, 1) : values;
  const words = `${subject} ${verb(condition, counted.length > 1)}`;
  if (kind === 'presence') return words;
  const listed = list(counted.map((value) => describeValue(value, kind, segments)));
  const suffix = caseInsensitive && (kind === 'text' || kind === 'pattern') ? ' (ignoring case)' : '';
  return `${words} ${listed}${suffix}`;
}

/** All conditions of a rule or segment; empty if there are none. */
export function conditionsSentence(
  conditions: readonly Condition[],
  match: Rule['match'],
  segments: readonly Named[],
): string {
  return conditions
    .map((condition) => conditionSentence(condition, segments))
    .join(match === 'any' ? ' or ' : ' and ');
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

function list(values: readonly string[]): string {
  if (values.length === 0) return '…';
  const more = values.length - MAX_LISTED;
  const shown = values.slice(0, MAX_LISTED).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function describeValue(value: ConditionValue, kind: string, segments: readonly Named[]): string {
  if (kind === 'segment') {
    const segment = segments.find(({ id }) => id === value);
    return segment?.name || String(value);
  }
  const instant = kind === 'instant' ? parseInstant(value) : undefined;
  if (instant !== undefined) return formatDateTime(instant);
  return quoteValue(String(value));
}

/** Quotes a text whose end could not be seen in a sentence, and cuts a long one. */
export function quoteValue(text: string): string {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  return cut === '' || /[\s,"“”]/.test(cut) ? `“${cut}”` : cut;
}
