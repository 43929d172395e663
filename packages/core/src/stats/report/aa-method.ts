import { DEFAULT_STATISTICS } from '../../api/statistics.ts';
import type { ReportInput } from './report-input.ts';

/** A round may raise a false alarm because of its goals, or because of its split. */
const GOAL_ALPHA = 0.04;
const SPLIT_ALPHA = 0.01;

/** How the A/A test is judged; the same for every property, so that verdicts are comparable. */
export const AA_METHOD = {
  /** Max share of rounds with an alarm by chance. */
  falseAlarms: GOAL_ALPHA + SPLIT_ALPHA,
  goalAlpha: GOAL_ALPHA,
  splitAlpha: SPLIT_ALPHA,
  minVisitors: 100,
  /** Of both variations together: if one loses its conversions, the other still has them. */
  minConverted: 50,
} as const;

/** Sequential, because the result is checked every day. */
export const AA_STATISTICS: ReportInput['statistics'] = {
  ...DEFAULT_STATISTICS,
  engine: 'sequential',
  correction: 'holm',
  alpha: GOAL_ALPHA,
  cuped: false,
};
