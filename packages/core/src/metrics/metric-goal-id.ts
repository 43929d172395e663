/** Id of a metric among the goals of a test. Ids of goals contain no colon. */
export const metricGoalId = (metricId: string) => `metric:${metricId}`;
