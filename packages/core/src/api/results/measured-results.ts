import { Type } from 'typebox';
import { namedObject, nullable, oneOf } from '../common.ts';

/** Of goals and feedback. */
export const GOAL_METRIC_NAMES = [
  'conversion-rate',
  'conversions-per-visitor',
  'revenue-per-visitor',
  'revenue-per-converted-visitor',
  'answer-rate',
  'option-share',
] as const;

/** Only of metrics. */
export const MEASURED_METRIC_NAMES = [
  'sum-per-visitor',
  'visitor-share',
  'views-per-visitor',
  'events-per-visitor',
  'bounce-rate',
  'ratio',
  'retention-rate',
  'completion-rate',
  'step-rate',
  'quantile',
] as const;

export const METRIC_FORMAT = oneOf(['number', 'money', 'seconds', 'percent'], {
  description:
    'Only of metrics: how values and absolute changes are written. `percent`: 0.032 is 3.2 %. `money`: dollars, shown in the currency of the property',
});

/** What a goal of the kind `metric` says about itself. */
export const measuredMembers = {
  metricId: Type.Optional(Type.String({ description: 'Only of metrics' })),
  metricKind: Type.Optional(
    oneOf(['count', 'sum', 'ratio', 'retention', 'funnel', 'quantile', 'page', 'event'], {
      description: 'Only of metrics',
    }),
  ),
  of: Type.Optional(
    oneOf(['visitors', 'views', 'bounce', 'count'], {
      description: 'Only of metrics of pages and events: what is counted',
    }),
  ),
  quantile: Type.Optional(Type.Number({ description: 'Only of quantiles: 0.9 for the p90' })),
  format: Type.Optional(METRIC_FORMAT),
  withinDays: Type.Optional(
    nullable(
      Type.Number({
        description:
          'Only of metrics: for how many days after the first exposure each visitor is followed; null: until the end of the phase',
      }),
    ),
  ),
};

export const MeasuredVariation = namedObject('MeasuredVariation', {
  key: Type.String({ description: 'The variation' }),
  visitors: Type.Integer({
    description: 'Visitors whose window is over; of a quantile, those of them with at least one value',
  }),
  pending: Type.Integer({ description: 'Visitors whose window is not over: they are in no other figure' }),
  reached: Type.Optional(
    Type.Integer({
      description: 'Visitors with a value above 0; of a funnel, those who completed it. Not of quantiles',
    }),
  ),
  sum: Type.Optional(
    Type.Number({
      description:
        'Over visitors: conversions, amounts in dollars, views or events; of a ratio or a bounce rate, the numerator. Not of quantiles',
    }),
  ),
  sumSquares: Type.Optional(
    Type.Number({ description: 'Over visitors: the squares of their values. Not of quantiles' }),
  ),
  denominatorSum: Type.Optional(Type.Number({ description: 'Only of ratios and bounce rates' })),
  denominatorSumSquares: Type.Optional(Type.Number({ description: 'Only of ratios and bounce rates' })),
  product: Type.Optional(
    Type.Number({
      description: 'Only of ratios and bounce rates: numerator times denominator, over visitors',
    }),
  ),
  steps: Type.Optional(
    Type.Array(
      namedObject('MeasuredStep', {
        name: Type.String(),
        visitors: Type.Integer({ description: 'Visitors who reached this step, and all before it' }),
      }),
      { description: 'Only of funnels' },
    ),
  ),
  values: Type.Optional(Type.Integer({ description: 'Only of quantiles: the number of values' })),
  value: Type.Optional(nullable(Type.Number({ description: 'Only of quantiles; null without values' }))),
  standardError: Type.Optional(
    nullable(
      Type.Number({
        description: 'Only of quantiles: by visitor, because values of a visitor are not independent',
      }),
    ),
  ),
});
