import type { Explanation, FlagExplanation, SplitTestExplanation } from '@switchyard/core/api/explanations';
import type { Configuration } from '../configuration/configuration-types.ts';
import { valueWriter } from './value-text.ts';

type Flags = Configuration['flags'];

/** The result in one sentence. */
export const outcomeSentence = (explanation: Explanation, flags: Flags): string =>
  explanation.type === 'flag' ? flagSentence(explanation, flags) : splitTestSentence(explanation);

function flagSentence({ key, value, ruleIndex, steps }: FlagExplanation, flags: Flags): string {
  const served = `The flag is ${valueWriter(flags, key)(value)}`;
  if (!steps.configured)
    return `${served}: it has no configuration in this environment, so its default applies.`;
  if (!steps.enabled) return `${served}: it is turned off in this environment, so its default applies.`;
  if (steps.prerequisites.some(({ met }) => !met)) return `${served}: a prerequisite is not met.`;
  if (ruleIndex !== undefined) return `${served}: rule ${ruleIndex + 1} decided.`;
  return `${served}: no rule applied, so everybody else’s value is served.`;
}

const REASONS: Record<SplitTestExplanation['reason'], string> = {
  ASSIGNED: 'assigned at random, always the same for this visitor',
  NOT_RUNNING: 'the test was not running',
  WINNER: 'the test had ended and everybody gets the winner',
  NO_VISITOR: 'the visitor is unknown',
  HOLDOUT: 'the visitor is in the holdout of the property',
  EXCLUSION_GROUP: 'another test of the exclusion group has this visitor',
  AUDIENCE: 'the visitor does not belong to the audience of the test',
  TRAFFIC: 'the visitor is not in the share of traffic that takes part',
  RETIRED: 'the variation of the visitor was taken out, and its visitors see the control',
  NO_WEIGHT: 'no variation has a weight',
};

function splitTestSentence({ variation, included, reason }: SplitTestExplanation): string {
  const shown = variation === null ? 'The page shows its own content' : `The visitor sees “${variation}”`;
  return `${shown}: ${REASONS[reason]}.${included || variation === null ? '' : ' The visit is not counted.'}`;
}
