import { type Static, Type } from 'typebox';
import { EntityKey, namedObject, nullable, oneOf, PropertyId } from './common.ts';
import { closed, Id, Line, Name, Tags, Text } from './provisioning-fields.ts';
import { METRIC_FORMAT } from './results/measured-results.ts';

export const METRIC_KINDS = [
  'count',
  'sum',
  'ratio',
  'retention',
  'funnel',
  'quantile',
  'page',
  'event',
] as const;
export type MetricKind = (typeof METRIC_KINDS)[number];

export const METRIC_FORMATS = ['number', 'money', 'seconds', 'percent'] as const;
export type MetricFormat = (typeof METRIC_FORMATS)[number];

const PAGE_VALUES = ['visitors', 'views', 'bounce'] as const;
const EVENT_VALUES = ['visitors', 'count'] as const;

/** The longest window of a metric. */
export const MAX_METRIC_DAYS = 365;
export const MAX_METRICS = 500;
/** In the goals and guardrails of one test: each is a query on the events of all its visitors. */
export const MAX_METRICS_OF_TEST = 20;

const Days = (description: string) => Type.Integer({ minimum: 1, maximum: MAX_METRIC_DAYS, description });

/** As queries match it: `*` stands for any characters, everything else for itself. */
const PagePath = Type.String({
  minLength: 1,
  maxLength: 512,
  pattern: '^[/*][^\\p{Cc}\\p{Cs}]*$',
  description: 'Path of pages, without their query; `*` stands for any characters, as in `/checkout*`',
  'x-hint': 'must start with "/" or "*" and be one line of text',
});

const EventName = Line(256, 'Name of a custom event, as sent to `POST /v1/sessions/collect`');

const GoalStep = Type.Object({ goalId: Id('A conversion of this goal') }, closed('MetricGoal'));
const PageStep = Type.Object({ path: PagePath }, closed('MetricPage'));
const EventStep = Type.Object({ event: EventName }, closed('MetricEvent'));

const MetricStep = Type.Union([GoalStep, PageStep, EventStep]);
export type MetricStep = Static<typeof MetricStep>;

const MetricValue = Type.Union([
  Type.Object(
    {
      goalId: Id('Goal id'),
      of: oneOf(['count', 'sum'], { description: 'Conversions of the goal, or their amounts' }),
    },
    closed('MetricGoalValue'),
  ),
  PageStep,
  EventStep,
]);
export type MetricValue = Static<typeof MetricValue>;

export const ProvisionedMetric = Type.Object(
  {
    id: Id('Metric id'),
    name: Type.Optional(Name),
    kind: Type.Optional(
      oneOf(METRIC_KINDS, {
        description:
          '`count` and `sum`: conversions of a goal, or their amounts, per visitor. `ratio`: one sum by another. `retention`: who came back. `funnel`: who took all steps in order. `quantile`: such as the median or the 90th percentile of a value. `page` and `event`: page views and custom events',
      }),
    ),
    description: Type.Optional(nullable(Text(4096, 'What it measures, and why; default: null'))),
    tags: Type.Optional(Tags),
    lowerIsBetter: Type.Optional(
      Type.Boolean({ description: 'For metrics such as errors or load times; default: `false`' }),
    ),
    cap: Type.Optional(
      nullable(
        Type.Number({
          minimum: 0.000_001,
          maximum: 1_000_000_000,
          description:
            'Larger values of a visitor count as this one, so that few visitors cannot decide a test; in dollars for sums. Of a ratio: of its numerator. Default: null (no cap)',
        }),
      ),
    ),
    format: Type.Optional(
      nullable(oneOf(METRIC_FORMATS, { description: 'How it is shown; default: what fits its kind' })),
    ),
    goalId: Type.Optional(
      nullable(Id('Goal id. Of `count`, `sum` and `quantile`; of `retention`, null or left out: any visit')),
    ),
    withinDays: Type.Optional(
      nullable(
        Days(
          'Only what a visitor does in this many days after the first exposure counts, and the visitor counts once they are over. Default: null (until the end of the phase); required for `funnel`',
        ),
      ),
    ),
    numerator: Type.Optional(MetricValue),
    denominator: Type.Optional(MetricValue),
    fromDay: Type.Optional(
      Days('Of `retention`: first day after the exposure; day 1 begins 24 hours after it'),
    ),
    toDay: Type.Optional(Days('Of `retention`: last day after the exposure')),
    steps: Type.Optional(
      Type.Array(MetricStep, {
        minItems: 2,
        maxItems: 10,
        description: 'Of `funnel`: each at the time of the one before it, or later',
      }),
    ),
    quantile: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        exclusiveMaximum: 1,
        description: 'Of `quantile`: 0.5 is the median, 0.9 the 90th percentile',
      }),
    ),
    path: Type.Optional(nullable(PagePath)),
    event: Type.Optional(EventName),
    property: Type.Optional(
      Line(256, 'Of `quantile`: name of a property of the event whose values are numbers'),
    ),
    of: Type.Optional(
      oneOf(['visitors', 'views', 'bounce', 'count'], {
        description:
          'Of `page`: `visitors` (who viewed it; default), `views` (per visitor) or `bounce` (sessions with a single page view, of those that begin there). Of `event`: `visitors` (default) or `count` (per visitor)',
      }),
    ),
  },
  {
    ...closed('ProvisionedMetric'),
    examples: [
      {
        id: 'revenue-per-order',
        name: 'Revenue per order',
        kind: 'ratio',
        numerator: { goalId: 'revenue', of: 'sum' },
        denominator: { goalId: 'revenue', of: 'count' },
      },
    ],
  },
);
export type ProvisionedMetric = Static<typeof ProvisionedMetric>;

/** What a metric computes, complete: `null` is what is left out. */
export type MetricComputation =
  | {
      readonly kind: 'count' | 'sum';
      readonly goalId: string;
      readonly withinDays: number | null;
    }
  | {
      readonly kind: 'ratio';
      readonly numerator: MetricValue;
      readonly denominator: MetricValue;
      readonly withinDays: number | null;
    }
  | {
      readonly kind: 'retention';
      readonly fromDay: number;
      readonly toDay: number;
      /** Null: any visit. */
      readonly goalId: string | null;
    }
  | {
      readonly kind: 'funnel';
      readonly steps: readonly MetricStep[];
      readonly withinDays: number;
    }
  | ({
      readonly kind: 'quantile';
      readonly quantile: number;
      readonly withinDays: number | null;
    } & MeasuredValue)
  | {
      readonly kind: 'page';
      /** Null: any page. */
      readonly path: string | null;
      readonly of: (typeof PAGE_VALUES)[number];
      readonly withinDays: number | null;
    }
  | {
      readonly kind: 'event';
      readonly event: string;
      readonly of: (typeof EVENT_VALUES)[number];
      readonly withinDays: number | null;
    };

/** Amounts of a goal, or a property of custom events. */
type MeasuredValue =
  | { readonly goalId: string; readonly event?: never; readonly property?: never }
  | { readonly event: string; readonly property: string; readonly goalId?: never };

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
