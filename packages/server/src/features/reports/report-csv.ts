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

const EXACT_DIGITS = 15;

/** The counts, one row per variation and goal; without goals, one row per variation. */
export function countsCsv(splitTestKey: string, phase: number | undefined, report: Report): string {
  const rows = report.variations.flatMap(({ key, weight, exposures, visitors, bots }, index) => {
    const variation = [splitTestKey, phase ?? '', key, weight, exposures, visitors, bots];
    if (report.goals.length === 0) return [[...variation, ...Array(10).fill('')]];
    return report.goals.map(({ goal, counts }) => {
      const { converted, conversions, amount, convertedAmount, answered = '' } = counts[index]!;
      return [
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
    });
  });
  return [COLUMNS, ...rows].map(csvRow).join('');
}
