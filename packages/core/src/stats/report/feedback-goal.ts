/** Id under which answers of a feedback type, or of one of its options, are counted. Ids of goals contain no colon. */
export const feedbackGoalId = (feedbackTypeId: string, option: string | null = null) =>
  option === null ? `feedback:${feedbackTypeId}` : `feedback:${feedbackTypeId}:${option}`;
