import type { PhaseAnalysis } from './analysis.ts';

const MAX_MESSAGES = 20;

/** Feedback of each variation: how often each option was chosen, and the latest messages; without crawlers. */
export function expectedFeedback(analysis: PhaseAnalysis) {
  const { recorded, participants, phase } = analysis;
  const people = new Map(analysis.counted(false).map((value) => [value.participant.unit, value.participant]));
  const answers = recorded.answers.flatMap((answer) => {
    if (answer.sessionId === undefined) return [];
    const participant = people.get(participants.unitOf(answer.sessionId));
    if (participant === undefined) return [];
    const isInTime = answer.at >= participant.firstAt && answer.at < participant.outcomeEnds;
    return isInTime ? [{ ...answer, variationKey: participant.variationKey }] : [];
  });
  return phase.variations.map(({ key }) => {
    const own = answers.filter(({ variationKey }) => variationKey === key);
    const chosen = own.flatMap(({ option, feedbackType }) =>
      option === undefined ? [] : [{ feedbackTypeId: feedbackType, option }],
    );
    const options = [...new Set(chosen.map(({ option }) => option))].sort();
    return {
      key,
      options: options.map((option) => ({
        option,
        count: chosen.filter((it) => it.option === option).length,
      })),
      messages: own
        .filter(({ message }) => message !== undefined)
        .sort((a, b) => b.at - a.at || (a.message! < b.message! ? -1 : 1))
        .slice(0, MAX_MESSAGES)
        .map(({ feedbackType, message, option = null, at }) => ({
          feedbackTypeId: feedbackType,
          message,
          option,
          createdAt: at,
        })),
    };
  });
}
