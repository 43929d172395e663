// The complete computation of engine version 1, as it was when version 2 replaced it. Exported bundles name the version
// that computed them, and `switchyard verify` must reproduce the results of old ones to the last bit.
//
// Never change this folder, not even a text: fix and improve `stats/report` instead. It imports only what version 2 uses
// unchanged (checks/structure.test.ts has the list); the results in `cases/report-version-1.json` show that it works.

import { DAY_MS } from '../../time.ts';
import {
  botCounts,
  countVisitors,
  exposureCounts,
  noGoalSums,
  type VariationCounts,
  variationCounts,
} from '../report/report-counts.ts';
import type { ReportInput } from '../report/report-input.ts';
import { compareGoals, type GoalComparison } from './goal-comparison.ts';
import { checkHealth, type HealthProblem } from './health.ts';
import { decideVerdict, type GoalOutcome, overallVerdict, type Verdict } from './verdict.ts';
import { describeProblem } from './verdict-words.ts';

/** Recent traffic is used to predict the traffic of the next days. */
const RECENT_DAYS = 7;

export function buildReportVersion1(input: ReportInput): object {
  const counts = variationCounts(input, () => true);
  const goals = compareGoals(input, counts);
  const mixedVisitors = countVisitors(input, ({ variationKey }) => variationKey === null);
  const problems = checkHealth(input, counts, mixedVisitors);
  const verdicts = verdictsOf(input, counts, goals, problems);
  const [exposures, bots] = [exposureCounts(input), botCounts(input)];
  return {
    variations: input.variations.map(({ key, weight }, index) => ({
      key,
      weight,
      exposures: exposures.get(key) ?? 0,
      visitors: counts[index]!.visitors,
      bots: bots.get(key) ?? 0,
    })),
    mixedVisitors,
    goals: goals.map(({ goal, metrics }) => ({
      goal,
      counts: counts.map(({ key, visitors, goals: sums }) => ({
        key,
        visitors,
        ...(sums.get(goal.id) ?? noGoalSums(goal.id)),
      })),
      metrics,
    })),
    problems: problems.map((problem) => ({ ...problem, words: describeProblem(problem) })),
    verdicts,
    verdict: overallVerdict(verdicts),
  };
}

/** One for each variation except the control. */
function verdictsOf(
  input: ReportInput,
  counts: readonly VariationCounts[],
  goals: readonly GoalComparison[],
  problems: readonly HealthProblem[],
): Verdict[] {
  const primary = goals.find(({ goal }) => goal.role === 'primary');
  if (!primary) return [];
  const guardrails = goals.filter(({ goal }) => goal.role === 'guardrail');
  const { statistics, smallestEffect, plannedVisitors } = input;
  const isOver = input.endedAt !== null;
  return counts.slice(1).map(({ key, visitors }, at) => {
    const index = at + 1;
    const pair = counts[0]!.visitors + visitors;
    return decideVerdict({
      settings: statistics,
      variation: key,
      problems,
      primary: outcomeOf(primary, index),
      guardrails: guardrails.map((goal) => outcomeOf(goal, index)),
      smallestEffect,
      visitors: pair,
      dailyVisitors: isOver ? 0 : pair * recentShare(input),
      plannedVisitors:
        plannedVisitors === null ? null : Math.round(plannedVisitors * pairShare(input, index)),
      isOver,
    });
  });
}

function outcomeOf({ goal, metrics }: GoalComparison, index: number): GoalOutcome {
  const result = metrics[0]!.variations[index]!;
  const { name, lowerIsBetter } = goal;
  return { name, lowerIsBetter, comparison: result, adjustedPValue: result.adjustedPValue };
}

/** The share of all visitors that a variation and the control get together. */
function pairShare({ variations }: ReportInput, index: number): number {
  const total = variations.reduce((sum, { weight }) => sum + weight, 0);
  return (variations[0]!.weight + variations[index]!.weight) / total;
}

/** The share of all exposures on an average day of the last week, starting at midnight. */
function recentShare(input: ReportInput): number {
  const midnight = Math.floor((input.asOf - RECENT_DAYS * DAY_MS) / DAY_MS) * DAY_MS;
  const days = Math.max(1, (input.asOf - Math.max(midnight, input.startedAt)) / DAY_MS);
  const all = input.exposures.reduce((sum, { exposures }) => sum + exposures, 0);
  const recent = input.exposures
    .filter(({ at }) => at >= midnight)
    .reduce((sum, it) => sum + it.exposures, 0);
  return all === 0 ? 0 : recent / all / days;
}
