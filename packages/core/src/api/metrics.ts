import { type Static, Type } from 'typebox';
import { nullable, oneOf } from './common.ts';
import { closed, Id, Line, Name, Tags, Text } from './provisioning-fields.ts';

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
          exclusiveMinimum: 0,
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
