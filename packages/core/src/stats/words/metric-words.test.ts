import { expect, it } from 'vitest';
import { metricGoal, metricGroup, metricInput, quantileOf } from '../../testing/metric-cases.ts';
import { dayAt } from '../../testing/report-cases.ts';
import { buildReport } from '../report/report.ts';
import type { MetricGoal, ReportInput, ReportMetric, ReportMetrics } from '../report/report-input.ts';
import { describeNote } from './note-words.ts';
import { METRIC_SEGMENTS_WORDS } from './segment-words.ts';

// Every text about metrics, in one file to read: metric-words.md.

function verdict(
  name: string,
  definition: Partial<ReportMetric>,
  metrics: Partial<ReportMetrics>,
  more: Partial<ReportInput> & { lowerIsBetter?: boolean } = {},
): string {
  const { lowerIsBetter = false, ...input } = more;
  const goal = metricGoal(definition, { name, lowerIsBetter } as Partial<MetricGoal>);
  const exposures = Array.from({ length: 10 }, (_, day) => ({
    at: dayAt(day),
    variationKey: 'b',
    bot: false,
    exposures: 900,
  }));
  return buildReport(metricInput([goal], metrics, { exposures, ...input })).verdict!.words;
}

/** Visitors with a sum, and the sums of both variations. */
const sums = (
  control: number,
  b: number,
  spread: number,
  more: Partial<Parameters<typeof metricGroup>[3]> = {},
) => ({
  groups: [control, b].map((sum, index) =>
    metricGroup(index === 0 ? 'control' : 'b', 6000, 1200, {
      value: { sum, sumSquares: sum ** 2 / 6000 + 6000 * spread ** 2 },
      ...more,
    }),
  ),
});
const shares = (control: number, b: number, pending = 0) => ({
  groups: [metricGroup('control', 6000, control, { pending }), metricGroup('b', 6000, b, { pending })],
});
const ratios = (control: number, b: number) =>
  sums(control, b, 0.6, { denominator: { sum: 24_000, sumSquares: 150_000 }, product: 4000 });
const quantiles = (control: number, b: number, standardError: number | null, visitors = 4000) => ({
  quantiles: [
    quantileOf('control', control, standardError, { visitors }),
    quantileOf('b', b, standardError, { visitors }),
  ],
});
const p90 = { kind: 'quantile', quantile: 0.9, format: 'seconds', withinDays: null } as const;
const week = { withinDays: 7 };

const verdicts = (): Record<string, string> => ({
  count: verdict('Orders within a week', { kind: 'count', ...week }, shares(430, 540)),
  'sum of money': verdict(
    'Revenue within a week',
    { kind: 'sum', format: 'money', ...week },
    sums(9600, 12_900, 9),
  ),
  'sum of money in euros': verdict(
    'Revenue within a week',
    { kind: 'sum', format: 'money', ...week },
    sums(9600, 12_900, 9),
    {
      currency: 'EUR',
    },
  ),
  'sum of seconds': verdict('Time on page', { kind: 'sum', format: 'seconds' }, sums(480_000, 540_000, 70)),
  'page views': verdict('Page views', { kind: 'page', of: 'views' }, sums(19_200, 20_900, 3)),
  'mean as percent': verdict(
    'Share of the basket that was discounted',
    { kind: 'sum', format: 'percent' },
    sums(192, 250, 0.1),
  ),
  'ratio as percent': verdict(
    'Errors per page view',
    { kind: 'ratio', format: 'percent' },
    ratios(768, 410),
    {
      lowerIsBetter: true,
    },
  ),
  'ratio of money': verdict('Revenue per order', { kind: 'ratio', format: 'money' }, ratios(60_000, 66_000)),
  'ratio as a number, worse': verdict(
    'Errors per page view',
    { kind: 'ratio', format: 'number' },
    ratios(768, 1410),
    {
      lowerIsBetter: true,
    },
  ),
  'bounce rate': verdict(
    'Bounce rate',
    { kind: 'page', of: 'bounce', format: 'percent' },
    ratios(7900, 7100),
    {
      lowerIsBetter: true,
    },
  ),
  retention: verdict('Came back', { kind: 'retention', format: 'percent', ...week }, shares(1800, 2100)),
  funnel: verdict(
    'Checkout',
    { kind: 'funnel', format: 'percent', steps: ['/cart', 'paid'], ...week },
    shares(240, 190),
  ),
  quantile: verdict('Load time, p90', p90, quantiles(1.82, 1.61, 0.03), { lowerIsBetter: true }),
  'quantile, not clear': verdict('Load time, p90', p90, quantiles(1.82, 1.79, 0.03), { lowerIsBetter: true }),
  'quantile, all values are the same': verdict('Load time, p90', p90, quantiles(2, 2, 0)),
  'quantile, too few values': verdict('Load time, p90', p90, quantiles(1.82, 1.61, 0.2, 90)),
  'collecting, nobody counts yet': verdict(
    'Came back',
    { kind: 'retention', ...week },
    {
      groups: ['control', 'b'].map((key) => metricGroup(key, 0, 0, { pending: 120 })),
    },
  ),
  'collecting, one day': verdict(
    'Came back',
    { kind: 'retention', withinDays: 1 },
    {
      groups: ['control', 'b'].map((key) => metricGroup(key, 0, 0, { pending: 120 })),
    },
  ),
  'collecting, ended before anybody counts': verdict(
    'Came back',
    { kind: 'retention', ...week },
    {
      groups: ['control', 'b'].map((key) => metricGroup(key, 0, 0, { pending: 120 })),
    },
    { endedAt: dayAt(9) },
  ),
  'collecting, nobody reached it': verdict('Came back', { kind: 'retention', ...week }, shares(0, 0)),
  'collecting, a few': verdict('Came back', { kind: 'retention', ...week }, shares(11, 9)),
  'before the planned end': verdict('Came back', { kind: 'retention', ...week }, shares(1800, 1850, 500), {
    plannedVisitors: 13_000,
  }),
});

const notes = {
  'visitors are pending': {
    note: 'pending-visitors',
    goalId: 'metric:m',
    name: 'Came back',
    pending: 1204,
    visitors: 8000,
    withinDays: 7,
  },
  'one visitor is pending': {
    note: 'pending-visitors',
    goalId: 'metric:m',
    name: 'Came back',
    pending: 1,
    visitors: 20,
    withinDays: 1,
  },
  'visitors are pending, without a number of days': {
    note: 'pending-visitors',
    goalId: 'metric:m',
    name: 'Came back',
    pending: 5,
    visitors: 20,
    withinDays: null,
  },
  'settings that are not used': { note: 'metric-settings', unused: ['cuped', 'winsorize', 'stratify'] },
  'one setting that is not used': { note: 'metric-settings', unused: ['winsorize'] },
  'quantiles of another mix': {
    note: 'quantile-mix',
    least: { variation: 'b', share: 0.104 },
    most: { variation: 'control', share: 0.31 },
  },
} as const satisfies Record<string, Parameters<typeof describeNote>[0]>;

const section = (title: string, texts: Record<string, string>) =>
  [`## ${title}\n`, ...Object.entries(texts).map(([name, text]) => `**${name}**\n${text}\n`)].join('\n');

const describeAll = <T>(cases: Record<string, T>, describe: (each: T) => string) =>
  Object.fromEntries(Object.entries(cases).map(([name, each]) => [name, describe(each)]));

it('texts are as in metric-words.md', async () => {
  const text = [
    '# Texts about metrics\n\nGenerated by metric-words.test.ts. After a change: `npx vitest run metric-words.test -u`, then read it.\n',
    section('Verdicts', verdicts()),
    section('Notes', describeAll(notes, describeNote)),
    section('Breakdown', { 'a metric is the primary goal': METRIC_SEGMENTS_WORDS }),
  ].join('\n');
  expect(text).not.toMatch(/NaN|∞|Infinity|undefined|null/);
  await expect(text).toMatchFileSnapshot('metric-words.md');
});
