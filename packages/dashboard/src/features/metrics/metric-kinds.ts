import type { MetricKind } from '@switchyard/core/api/metrics';

/** What each kind is called, and which question it answers. */
const KIND_WORDS: Record<MetricKind, { label: string; hint: string }> = {
  count: {
    label: 'Conversions',
    hint: 'How many visitors reach a goal, and how often; also within some days only',
  },
  sum: {
    label: 'Amounts',
    hint: 'How much visitors spend, with a limit for the largest spenders if you like',
  },
  ratio: { label: 'Ratio', hint: 'One sum by another: revenue per order, errors per page view' },
  retention: { label: 'Retention', hint: 'Who comes back after some days, or reaches a goal then' },
  funnel: { label: 'Funnel', hint: 'How many get through several steps, and where the others leave' },
  quantile: {
    label: 'Percentile',
    hint: 'What nine of ten stay below, or the median: of amounts, or of a property such as load times',
  },
  page: {
    label: 'Page views',
    hint: 'Who views pages, how many, or leaves after the first: without any code',
  },
  event: { label: 'Custom events', hint: 'Who triggers an event that your site sends, or how often' },
};

export const kindLabel = (kind: MetricKind): string => KIND_WORDS[kind].label;

export const KIND_OPTIONS = (Object.keys(KIND_WORDS) as MetricKind[]).map((kind) => ({
  value: kind,
  label: KIND_WORDS[kind].label,
  description: KIND_WORDS[kind].hint,
}));

export const kindHint = (kind: MetricKind): string => KIND_WORDS[kind].hint;
