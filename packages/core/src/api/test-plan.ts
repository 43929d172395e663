import { type Static, Type } from 'typebox';
import { EntityKey, namedObject, nullable, oneOf, PropertyId } from './common.ts';
import { GOAL_METRIC_NAMES, MEASURED_METRIC_NAMES } from './results/measured-results.ts';

export const PlanQuery = Type.Object({
  propertyId: PropertyId,
  goalId: Type.Optional(EntityKey),
  metric: Type.Optional(
    Type.String({ ...EntityKey, description: 'Id of a metric of the property, instead of `goalId`' }),
  ),
  smallestEffect: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 10,
      default: 0.05,
      description: 'Smallest relative change to detect: 0.05 is 5 %',
    }),
  ),
  power: Type.Optional(Type.Number({ minimum: 0.5, maximum: 0.99, default: 0.8 })),
  variations: Type.Optional(Type.Integer({ minimum: 2, maximum: 60, default: 2 })),
  trafficAllocation: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100, default: 100 })),
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 365, default: 28, description: 'Days of history to use' }),
  ),
  guardrails: Type.Optional(
    Type.String({
      maxLength: 2048,
      pattern: '^(metric:)?[^,:]+(:[0-9.]{1,12})?(,(metric:)?[^,:]+(:[0-9.]{1,12})?){0,19}$',
      description:
        'Ids of goals that must not get worse, separated by commas, and of metrics after `metric:`; each may be followed by a colon and the relative harm to exclude, as in `refunds:0.02,metric:load-time` (default: `smallestEffect`)',
    }),
  ),
  audience: Type.Optional(
    Type.String({
      maxLength: 8192,
      description:
        'Who takes part, as JSON text like the `audience` of a split test. `dailyVisitors` and `days` then count only these visitors; the baseline is still that of all visitors, who may convert more or less often. Default: all visitors',
      examples: [
        '{"match":"all","conditions":[{"attribute":"device","operator":"equals","values":["mobile"]}]}',
      ],
    }),
  ),
});
export type PlanQuery = Static<typeof PlanQuery>;

export const PlanResponse = Type.Object(
  {
    goalId: Type.String({ description: 'For a metric, `metric:` with its id' }),
    metric: oneOf([...GOAL_METRIC_NAMES, ...MEASURED_METRIC_NAMES], { description: 'As in results' }),
    engine: oneOf(['sequential', 'group-sequential', 'frequentist', 'bayesian']),
    alpha: Type.Number(),
    power: Type.Number(),
    smallestEffect: Type.Number(),
    baseline: namedObject('TestPlanBaseline', {
      days: Type.Integer(),
      visitors: Type.Integer({ description: 'For a metric, those whose window is over' }),
      pending: Type.Optional(
        Type.Integer({ description: 'Only of metrics: visitors whose window is not over' }),
      ),
      converted: Type.Integer({
        description: 'For a metric, visitors with a value above 0, or with values of a quantile',
      }),
      mean: nullable(Type.Number()),
      variance: nullable(Type.Number()),
    }),
    audience: nullable(
      namedObject('PlannedAudience', {
        share: Type.Number({ description: 'Share of the visitors with a session that matches; from 0 to 1' }),
        visitors: Type.Integer({ description: 'Visitors whose sessions were looked at' }),
        sampled: Type.Number({
          description:
            'Share of all visitors whose sessions were looked at: 1, or less if there are very many',
        }),
      }),
    ),
    dailyVisitors: Type.Number({ description: 'Visitors per day who would enter the test' }),
    visitorsPerVariation: nullable(Type.Integer()),
    visitors: nullable(Type.Integer()),
    days: nullable(Type.Integer()),
    windowDays: Type.Optional(
      nullable(
        Type.Integer({
          description: 'Only of metrics: how many of the `days` only follow the last visitors; null: none',
        }),
      ),
    ),
    guardrails: Type.Array(
      namedObject('GuardrailPlan', {
        goalId: Type.String(),
        maxHarm: Type.Number(),
        visitors: nullable(
          Type.Integer({
            description:
              'In all variations, to exclude this harm in as many cases as `power` says if there is none; null without data',
          }),
        ),
        days: nullable(Type.Integer()),
      }),
    ),
    words: Type.String(),
  },
  {
    title: 'TestPlan',
    examples: [
      {
        goalId: 'signup',
        metric: 'conversion-rate',
        engine: 'group-sequential',
        alpha: 0.05,
        power: 0.8,
        smallestEffect: 0.05,
        baseline: { days: 28, visitors: 52000, converted: 5200, mean: 0.1, variance: 0.09 },
        audience: null,
        dailyVisitors: 1857.1,
        visitorsPerVariation: 60600,
        visitors: 121200,
        days: 66,
        guardrails: [],
        words: 'In the last 28 days, 5,200 of 52,000 visitors reached "Sign-ups". …',
      },
    ],
  },
);
export type PlanResponse = Static<typeof PlanResponse>;
