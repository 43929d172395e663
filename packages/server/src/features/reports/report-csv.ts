import type { MeasuredVariation } from '@switchyard/core/stats/metrics/measured-variations';
import type { Report } from '@switchyard/core/stats/report/report';
import { csvRow } from '../../http/contract/csv-row.ts';

const COLUMNS = [
  'split_test',
  'phase',
  'variation',
  'weight',
  'exposures',
  'visitors',
  'bots',
  'goal',
  'goal_kind',
  'goal_role',
  'converted_visitors',
  'conversions',
  'conversions_sum_squares',
  'amount',
  'amount_sum_squares',
  'converted_amount',
  'answered_visitors',
];

/** Of a goal; empty for metrics. */
const GOAL_COLUMNS = 7;

/** Only if the test has metrics. */
const METRIC_COLUMNS = [
  'metric_kind',
  'counted_visitors',
  'pending_visitors',
  'reached_visitors',
  'value',
  'value_sum_squares',
  'denominator',
  'denominator_sum_squares',
  'product',
  'values',
  'standard_error',
  'funnel_step',
];

const EXACT_DIGITS = 15;

/**
 * The counts, one row per variation and goal; without goals, one row per variation. A funnel has a row for each of its
 * steps as well.
 */
export function countsCsv(splitTestKey: string, phase: number | undefined, report: Report): string {
  const hasMetrics = report.goals.some(({ goal }) => goal.kind === 'metric');
  const rows = report.variations.flatMap(({ key, weight, exposures, visitors, bots }, index) => {
    const variation = [splitTestKey, phase ?? '', key, weight, exposures, visitors, bots];
    if (report.goals.length === 0) return [[...variation, ...Array(10).fill('')]];
    return report.goals.flatMap(({ goal, counts, measured }) => {
      if (goal.kind === 'metric') {
        const none = Array(GOAL_COLUMNS).fill('');
        return metricRows(goal.definition.kind, measured![index]!).map((row) => [
          ...variation,
          goal.id,
          goal.kind,
          goal.role,
          ...none,
          ...row,
        ]);
      }
      const { converted, conversions, amount, convertedAmount, answered = '' } = counts[index]!;
      const row = [
        ...variation,
        goal.id,
        goal.kind,
        goal.role,
        converted,
        conversions.sum,
        conversions.sumSquares,
        amount.sum,
        // A sum of squares has more digits than a number can hold: those that are not exact are left out.
        Number(amount.sumSquares.toPrecision(EXACT_DIGITS)),
        convertedAmount,
        answered,
      ];
      return [hasMetrics ? [...row, ...Array(METRIC_COLUMNS.length).fill('')] : row];
    });
  });
  return [hasMetrics ? [...COLUMNS, ...METRIC_COLUMNS] : COLUMNS, ...rows].map(csvRow).join('');
}

/** The metric as a whole, then the steps of a funnel. */
function metricRows(kind: string, measured: MeasuredVariation): (string | number)[][] {
  const { visitors, pending, reached = '', steps = [], values = '' } = measured;
  const whole = [
    kind,
    visitors,
    pending,
    reached,
    exact(measured.value ?? measured.sum),
    exact(measured.sumSquares),
    exact(measured.denominatorSum),
    exact(measured.denominatorSumSquares),
    exact(measured.product),
    values,
    exact(measured.standardError),
    '',
  ];
  const none = Array(METRIC_COLUMNS.length - 5).fill('');
  return [whole, ...steps.map((step, index) => [kind, visitors, pending, step.visitors, ...none, index + 1])];
}

const exact = (value: number | null | undefined) =>
  value === null || value === undefined ? '' : Number(value.toPrecision(EXACT_DIGITS));
