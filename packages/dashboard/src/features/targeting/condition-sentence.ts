import type { Condition, Rule, Segment } from '@switchyard/core/api/targeting';
import * as sentences from '@switchyard/core/words/condition-sentence';
import { formatDateTime } from '../../ui/format/format.ts';

type Named = Pick<Segment, 'id' | 'name'>;

/** A condition as part of a sentence, such as "country is one of DE, AT". */
export const conditionSentence = (condition: Condition, segments: readonly Named[]): string =>
  sentences.conditionSentence(condition, { segments, time: formatDateTime });

/** All conditions of a rule or segment, or the first ones; empty if there are none. */
export const conditionsSentence = (
  conditions: readonly Condition[],
  match: Rule['match'],
  segments: readonly Named[],
  maxConditions = conditions.length,
): string =>
  sentences.conditionsSentence(conditions, match, { segments, time: formatDateTime, maxConditions });
