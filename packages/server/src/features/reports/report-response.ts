import type { SplitTestResults } from '@switchyard/core/api/results';
import type { MeasuredVariation } from '@switchyard/core/stats/metrics/measured-variations';
import type { GoalComparison } from '@switchyard/core/stats/report/goal-comparison';
import { improvementOf, isRelative } from '@switchyard/core/stats/report/goal-outcome';
import { type GoalReport, REPORT_VERSION, type Report } from '@switchyard/core/stats/report/report';
import type { MetricGoal, ReportGoal, ReportSums } from '@switchyard/core/stats/report/report-input';
import type { Verdict } from '@switchyard/core/stats/report/verdict';
import type { ReportScope } from './report-scope.ts';

/** What was counted and computed, without the rule that decides. */
export type ResultFigures = Omit<SplitTestResults, 'decisionRule'>;

/** Converts the report to the API response. */
export function resultsResponse(
  scope: ReportScope,
  report: Report,
  asOf: number,
  bots: 'exclude' | 'include',
): ResultFigures {
  const { statistics, test, phases, phase, query } = scope;
  return {
    splitTestKey: test.key,
    ...(test.measuredRule && { measuredRule: { ...test.measuredRule } }),
    status: test.status,
    winner: test.winner,
    asOf,
    phase: phase ? phaseSummary(phase) : null,
    phases: phases.map(phaseSummary),
    method: {
      ...statistics,
      stratify: [...statistics.stratify],
      engine: report.engine,
      prior: report.prior && { ...report.prior },
      unit: query.unit ?? 'visitor',
      attributionDays: test.attributionDays,
      version: REPORT_VERSION,
    },
    plannedShare: report.plannedShare,
    bots,
    variations: [...report.variations],
    mixedVisitors: report.mixedVisitors,
    movedVisitors: report.movedVisitors,
    goals: report.goals.map((goal) => goalResponse(goal, report.variations)),
    health: {
      healthy: report.problems.length === 0,
      splitPValue: report.splitPValue,
      problems: report.problems.map((problem) => ({ ...problem })),
    },
    notes: report.notes.map((note) => ({ ...note })),
    verdict: report.verdict && verdictResponse(report.verdict),
    verdicts: report.verdicts.map(verdictResponse),
  };
}

/** The goals that segments and days leave out; nothing without metrics. */
export function wholeTestOnly({
  goals,
}: Pick<ReportScope, 'goals'>): Pick<SplitTestResults, 'wholeTestOnly'> {
  const measured = goals.filter(({ kind }) => kind === 'metric').map(({ id }) => id);
  return measured.length > 0 ? { wholeTestOnly: measured } : {};
}

const phaseSummary = ({
  number,
  startedAt,
  servedFrom,
  endedAt,
  reasons,
}: ReportScope['phases'][number]) => ({
  number,
  startedAt,
  ...(servedFrom !== undefined && { servedFrom }),
  endedAt,
  reasons: [...reasons],
});

export function goalMembers(goal: ReportGoal) {
  const { id, name, kind, role, lowerIsBetter } = goal;
  return {
    goalId: id,
    name,
    kind,
    role,
    lowerIsBetter,
    ...(goal.kind === 'feedback' && { feedbackTypeId: goal.feedbackTypeId, option: goal.option }),
    ...(goal.kind === 'metric' && definitionMembers(goal)),
  };
}

function definitionMembers({ metricId, definition }: MetricGoal) {
  const { kind: metricKind, of, quantile, format, withinDays } = definition;
  return {
    metricId,
    metricKind,
    ...(of !== undefined && { of }),
    ...(quantile !== undefined && { quantile }),
    format,
    withinDays,
  };
}

type MetricResponse = SplitTestResults['goals'][number]['metrics'][number];

export function metricResponse({
  metric,
  format,
  step,
  decides,
  variations,
}: GoalComparison['metrics'][number]): MetricResponse {
  return {
    metric,
    ...(format !== undefined && { format }),
    ...(step !== undefined && { step }),
    decides,
    variations: variations.map((result) => ({
      key: result.key,
      n: result.n,
      mean: result.mean,
      absolute: result.absolute && { ...result.absolute },
      relative: result.relative && { ...result.relative },
      pValue: result.pValue,
      adjustedPValue: result.adjustedPValue,
      chanceToBeat: result.chanceToBeat,
      expectedLoss: result.expectedLoss,
    })),
  };
}

function goalResponse(
  report: GoalReport,
  variations: Report['variations'],
): SplitTestResults['goals'][number] {
  const { goal, state, maxHarm, counts, measured, metrics } = report;
  return {
    ...goalMembers(goal),
    ...(state && { state }),
    ...(maxHarm !== undefined && { maxHarm }),
    counts: counts.map((it) => ({
      key: it.key,
      visitors: it.visitors,
      converted: it.converted,
      ...(it.answered !== undefined && { answered: it.answered }),
      conversions: sumsResponse(it.conversions),
      amount: sumsResponse(it.amount),
      convertedAmount: it.convertedAmount,
      convertedCovariate: it.convertedCovariate,
    })),
    ...(measured && {
      pending: pendingIn(measured, variations),
      measured: measured.map(({ steps, ...it }) => ({ ...it, ...(steps && { steps: [...steps] }) })),
    }),
    metrics: metrics.map(metricResponse),
  };
}

/** Retired variations get no more visitors, so nobody waits for theirs. */
const pendingIn = (measured: readonly MeasuredVariation[], variations: Report['variations']) =>
  measured.reduce((sum, { pending }, index) => (variations[index]!.retired ? sum : sum + pending), 0);

const sumsResponse = (sums: ReportSums) => ({
  sum: sums.sum,
  sumSquares: sums.sumSquares,
  covariateSum: sums.covariateSum,
  covariateSumSquares: sums.covariateSumSquares,
  covariateProduct: sums.covariateProduct,
});

function verdictResponse(verdict: Verdict): NonNullable<SplitTestResults['verdict']> {
  const { decision, reason, variation, words, improvement, unit, visitors, plannedVisitors } = verdict;
  const { sentences, collecting, daysLeft, forecast } = verdict;
  return {
    decision,
    reason,
    variation,
    words,
    sentences: { ...sentences },
    improvement: improvement && { ...improvement },
    unit,
    visitors,
    plannedVisitors,
    collecting: collecting ? { conversions: collecting.conversions, required: collecting.required } : null,
    daysLeft,
    forecast: forecast && { ...forecast },
    guardrails: verdict.guardrails.map((guardrail) => {
      const interval = isRelative(guardrail) ? improvementOf(guardrail, 'relative') : null;
      return {
        goalId: guardrail.id!,
        name: guardrail.name,
        state: guardrail.state,
        maxHarm: guardrail.maxHarm,
        improvement: interval && { ...interval },
        daysLeft: guardrail.daysLeft,
      };
    }),
    harmedGuardrails: verdict.guardrails.filter(({ state }) => state === 'harmed').map(({ name }) => name),
  };
}
