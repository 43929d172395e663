import type { HoldoutReport } from '../../api/holdout.ts';
import type { StatisticsSettings } from '../../api/statistics.ts';
import {
  describeHoldoutGoal,
  describeHoldoutSplit,
  NO_HOLDOUT_WORDS,
  summarizeHoldout,
} from '../words/holdout-words.ts';
import { type ComparedGoal, comparedGoal } from './holdout-findings.ts';
import { HELD_OUT, OTHERS } from './holdout-groups.ts';
import { buildReport } from './report.ts';
import type { ReportGoal, ReportInput } from './report-input.ts';

export interface HoldoutInput {
  /** Percentage of visitors in the holdout. */
  readonly percentage: number;
  /** The largest percentage since `since`; visitors between the two are in neither group. */
  readonly largest: number;
  readonly since: number;
  readonly asOf: number;
  /** Share of the visitors that were counted. */
  readonly share: number;
  readonly statistics: StatisticsSettings;
  /** Code of the currency that amounts are shown in. */
  readonly currency: string;
  readonly goals: readonly HoldoutGoalInput[];
  /** Visitors of `HELD_OUT` and `OTHERS`. */
  readonly groups: ReportInput['groups'];
  readonly winners: HoldoutReport['winners'];
}

export type HoldoutGoalInput = Pick<ReportGoal, 'id' | 'name' | 'lowerIsBetter'> & {
  readonly kind: 'count' | 'revenue';
};

type HoldoutGoal = HoldoutReport['goals'][number];

/** Compares the visitors of the holdout, as the control, with everybody else. */
export function holdoutReport(input: HoldoutInput): HoldoutReport {
  const statistics = holdoutStatistics(input.statistics);
  const report = buildReport(reportInput(input, statistics));
  const problems = report.problems.flatMap((problem) =>
    problem.problem === 'sample-ratio-mismatch'
      ? [{ problem: problem.problem, pValue: problem.pValue, words: describeHoldoutSplit(problem) }]
      : [],
  );
  const isHealthy = problems.length === 0;
  const compared = report.goals.map((goal) => comparedGoal(goal, report, isHealthy, statistics));
  const { percentage, since, asOf, share, currency, winners } = input;
  const goals = compared.map((goal) => responseOf(goal, compared.length, currency));
  return {
    percentage,
    since,
    asOf,
    share,
    method: methodOf(statistics),
    summary: summarizeHoldout({ goals: compared, problems, share, currency }),
    groups: report.variations.map(({ key, weight, visitors }) => ({ key: groupKey(key), weight, visitors })),
    health: { healthy: isHealthy, problems },
    goals,
    winners,
  };
}

/** The report of a property without a holdout. */
export function noHoldoutReport(statistics: StatisticsSettings, asOf: number): HoldoutReport {
  return {
    percentage: 0,
    since: null,
    asOf,
    share: 1,
    method: methodOf(holdoutStatistics(statistics)),
    summary: NO_HOLDOUT_WORDS,
    groups: [],
    health: { healthy: true, problems: [] },
    goals: [],
    winners: [],
  };
}

/** Sequential, because the report is looked at on any day. What a visitor did before the holdout is not counted. */
const holdoutStatistics = (statistics: StatisticsSettings): StatisticsSettings => ({
  ...statistics,
  engine: 'sequential',
  correction: 'holm',
  cuped: false,
  prior: null,
});

const methodOf = ({ alpha, sequentialN }: StatisticsSettings): HoldoutReport['method'] => ({
  engine: 'sequential',
  alpha,
  sequentialN,
  correction: 'holm',
});

function reportInput(input: HoldoutInput, statistics: StatisticsSettings): ReportInput {
  const { percentage, largest, goals, groups, currency, since, asOf } = input;
  return {
    variations: [
      { key: HELD_OUT, weight: percentage },
      { key: OTHERS, weight: 100 - largest },
    ],
    // All in one family: none of them is the one that the holdout is for.
    goals: goals.map((goal) => ({ ...goal, role: 'secondary' })),
    statistics,
    smallestEffect: null,
    plannedVisitors: null,
    includeBots: false,
    currency,
    groups,
    exposures: [],
    startedAt: since,
    endedAt: null,
    asOf,
  };
}

function responseOf(compared: ComparedGoal, comparisons: number, currency: string): HoldoutGoal {
  const { report, finding, collecting } = compared;
  const { id, name, kind, lowerIsBetter } = report.goal;
  return {
    goalId: id,
    name,
    kind: kind === 'revenue' ? kind : 'count',
    lowerIsBetter,
    finding,
    words: describeHoldoutGoal(compared, comparisons, currency),
    collecting,
    counts: report.counts.map(({ key, visitors, converted, conversions, amount }) => ({
      key: groupKey(key),
      visitors,
      converted,
      conversions: conversions.sum,
      amount: amount.sum,
    })),
    metrics: report.metrics.map(({ metric, decides, variations }) => ({
      metric,
      decides,
      variations: variations.map(({ standardError: _standardError, ...result }) => result),
    })),
  };
}

const groupKey = (key: string) => (key === HELD_OUT ? HELD_OUT : OTHERS);
