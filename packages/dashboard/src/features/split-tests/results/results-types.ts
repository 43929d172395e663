import type { SplitTestResults } from '@switchyard/core/api/results';

// Parts of the results, as the API returns them.

export type Results = SplitTestResults;
export type GoalResult = Results['goals'][number];
export type MetricResult = GoalResult['metrics'][number];
export type VariationResult = MetricResult['variations'][number];
export type EffectInterval = NonNullable<VariationResult['absolute']>;
export type Verdict = NonNullable<Results['verdict']>;
export type HealthProblem = Results['health']['problems'][number];
/** Goals of segments have no counts. */
export type ComparedGoal = Omit<GoalResult, 'counts'>;
