import { type Static, Type } from 'typebox';
import { EntityKey, namedObject, nullable, oneOf, PropertyId } from './common.ts';
import { METRIC_FORMAT } from './measured-results.ts';
import { METRIC_KINDS } from './metrics.ts';

export const MetricPreviewQuery = Type.Object({
  propertyId: PropertyId,
  metric: Type.Optional(
    Type.String({ ...EntityKey, description: 'Id of a metric of the property', examples: ['order-value'] }),
  ),
  definition: Type.Optional(
    Type.String({
      maxLength: 8192,
      description:
        'Instead of `metric`: a metric that is not saved, as JSON text with the fields of the provision file, of which `id` may be left out. It is checked like one that is saved',
      examples: ['{"kind":"page","path":"/checkout*"}'],
    }),
  ),
});
export type MetricPreviewQuery = Static<typeof MetricPreviewQuery>;

export const MetricPreview = Type.Object(
  {
    metric: nullable(Type.String({ description: 'Id of the saved metric; null for a definition' })),
    name: Type.String(),
    kind: oneOf(METRIC_KINDS),
    format: METRIC_FORMAT,
    days: Type.Integer({ description: 'Days of history' }),
    visitors: Type.Integer({ description: 'Visitors with a session in these days whose window is over' }),
    pending: Type.Integer({ description: 'Visitors whose window is not over: they are in no other figure' }),
    reached: Type.Integer({
      description: 'Visitors with a value above 0; of a funnel, who completed it; of a quantile, with values',
    }),
    values: Type.Optional(Type.Integer({ description: 'Only of quantiles: the number of values' })),
    steps: Type.Optional(
      Type.Array(namedObject('PreviewedStep', { name: Type.String(), visitors: Type.Integer() }), {
        description: 'Only of funnels: visitors who reached each step',
      }),
    ),
    value: nullable(
      Type.Number({ description: 'As in results: a share from 0 to 1, a mean, a ratio or a quantile' }),
    ),
    standardError: nullable(Type.Number({ description: 'By visitor' })),
    plan: namedObject('PreviewedPlan', {
      smallestEffect: Type.Number({ description: 'Relative: 0.1 is 10 %' }),
      visitors: nullable(
        Type.Integer({
          description: 'In two variations, to find it in 80 % of the cases; null without data',
        }),
      ),
      days: nullable(Type.Integer({ description: 'At the traffic of these days' })),
    }),
    detectable: namedObject('DetectableEffect', {
      days: Type.Integer(),
      smallestEffect: nullable(
        Type.Number({ description: 'What a test of these days finds in 80 % of the cases; relative' }),
      ),
    }),
    words: Type.String(),
  },
  {
    title: 'MetricPreview',
    examples: [
      {
        metric: null,
        name: 'Checkout',
        kind: 'page',
        format: 'percent',
        days: 30,
        visitors: 12400,
        pending: 0,
        reached: 397,
        value: 0.032,
        standardError: 0.0016,
        plan: { smallestEffect: 0.1, visitors: 100240, days: 243 },
        detectable: { days: 14, smallestEffect: 0.43 },
        words:
          'Last 30 days: 3.2 % of 12,400 visitors. A test with two variations finds a change of ±10 % after about 243 days, or one of ±43 % after 14 days.',
      },
    ],
  },
);
export type MetricPreview = Static<typeof MetricPreview>;
