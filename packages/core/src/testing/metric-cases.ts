import { DEFAULT_STATISTICS } from '../api/statistics.ts';
import type {
  MetricGoal,
  ReportInput,
  ReportMetric,
  ReportMetricGroup,
  ReportMetrics,
  ReportQuantile,
} from '../stats/report/report-input.ts';
import { groupOf, inputOf } from './report-cases.ts';

/** The primary goal "metric:m". */
export const metricGoal = (
  definition: Partial<ReportMetric>,
  { id = 'm', ...more }: Partial<Omit<MetricGoal, 'definition'>> = {},
): MetricGoal =>
  ({
    id: `metric:${id}`,
    name: `Metric ${id}`,
    kind: 'metric',
    lowerIsBetter: false,
    role: 'primary',
    metricId: id,
    definition: { kind: 'event', format: 'number', withinDays: null, ...definition },
    ...more,
  }) as MetricGoal;

export const NO_METRICS: ReportMetrics = { groups: [], quantiles: [] };

/** New visitors of the metric "m". By default, each who reached it has the value 1. */
export const metricGroup = (
  variationKey: string,
  visitors: number,
  reached: number,
  more: Partial<ReportMetricGroup> = {},
): ReportMetricGroup => ({
  metricId: 'm',
  variationKey,
  returning: false,
  bot: false,
  visitors,
  pending: 0,
  reached,
  value: { sum: reached, sumSquares: reached },
  denominator: { sum: 0, sumSquares: 0 },
  product: 0,
  ...more,
});

export const quantileOf = (
  variationKey: string,
  value: number | null,
  standardError: number | null,
  more: Partial<ReportQuantile> = {},
): ReportQuantile => ({
  metricId: 'm',
  variationKey,
  includeBots: false,
  visitors: 1000,
  pending: 0,
  values: 3000,
  value,
  standardError,
  ...more,
});

/** A test of "control" and "b" with these metrics; the visitors are those whose window is over, and the pending ones. */
export function metricInput(
  goals: ReportInput['goals'],
  { groups = [], quantiles = [] }: Partial<ReportMetrics>,
  more: Partial<ReportInput> = {},
): ReportInput {
  const [first] = goals.flatMap((goal) => (goal.kind === 'metric' ? [goal.metricId] : []));
  return inputOf(
    ['control', 'b'].map((key) => {
      const isOwn = (it: { metricId: string; variationKey: string }) =>
        it.variationKey === key && it.metricId === first;
      const own = [
        ...groups.filter((it) => isOwn(it) && !it.bot),
        ...quantiles.filter((it) => isOwn(it) && !it.includeBots),
      ];
      return groupOf(
        key,
        own.reduce((sum, { visitors, pending }) => sum + visitors + pending, 0),
      );
    }),
    { goals, metrics: { groups, quantiles }, statistics: DEFAULT_STATISTICS, ...more },
  );
}
