import { type Static, Type } from 'typebox';
import { Audience } from './audience.ts';
import { nullable, oneOf } from './common.ts';
import { closed, Id, Line, Name, NullableTime, Owner, Tags, Text, Time } from './provisioning-fields.ts';

const ProvisionedVariation = Type.Object(
  {
    key: Id('Variation key'),
    weight: Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Share of traffic, relative to the other variations',
    }),
    value: Type.Optional(
      Type.String({
        maxLength: 65_536,
        description: 'Content; JSON as text for type `json`, the key for type `id`',
      }),
    ),
    retired: Type.Optional(
      Type.Boolean({
        description:
          'Takes the variation out of a started test: it keeps its weight and its place, its visitors see the control and are not counted any more, and nobody else moves. Default: `false`',
      }),
    ),
  },
  closed('ProvisionedVariation'),
);

const Exclusion = Type.Object(
  {
    group: Id('Tests in the same group never share a visitor'),
    share: Type.Number({
      exclusiveMinimum: 0,
      maximum: 100,
      description:
        'Percentage of all visitors available to the test; the shares of a group add up to at most 100',
    }),
    from: Type.Optional(
      Type.Number({
        minimum: 0,
        exclusiveMaximum: 100,
        description:
          'Start of its range within 0 to 100; default: the first free position, which is then kept',
      }),
    ),
  },
  closed('Exclusion'),
);

const FEEDBACK = {
  feedbackType: Id('Feedback type id: the share of visitors who answered'),
  option: Type.Optional(Line(256, 'The share of this option among those who answered')),
  lowerIsBetter: Type.Optional(Type.Boolean({ description: 'For options such as "bad"; default: `false`' })),
};

const METRIC = { metric: Id('Metric id') };

const ProvisionedOutcome = Type.Union([
  Id('Goal id'),
  Type.Object(FEEDBACK, closed('ProvisionedFeedbackOutcome')),
  Type.Object(METRIC, closed('ProvisionedMetricOutcome')),
]);
export type ProvisionedOutcome = Static<typeof ProvisionedOutcome>;

const MaxHarm = Type.Number({
  exclusiveMinimum: 0,
  maximum: 10,
  description:
    'Harm that must be ruled out, relative to the control: 0.02 is 2 %; default: `smallestEffect` of the test, or 0.05 if it has none',
});

const ProvisionedGuardrail = Type.Union([
  Id('Goal id'),
  Type.Object({ goalId: Id('Goal id'), maxHarm: MaxHarm }, closed('ProvisionedGoalGuardrail')),
  Type.Object({ ...FEEDBACK, maxHarm: Type.Optional(MaxHarm) }, closed('ProvisionedFeedbackGuardrail')),
  Type.Object({ ...METRIC, maxHarm: Type.Optional(MaxHarm) }, closed('ProvisionedMetricGuardrail')),
]);
export type ProvisionedGuardrail = Static<typeof ProvisionedGuardrail>;

export const DECISION_OUTCOMES = ['ship', 'roll-back', 'no-difference', 'other'] as const;
export type DecisionOutcome = (typeof DECISION_OUTCOMES)[number];

export const ProvisionedDecision = Type.Object(
  {
    outcome: oneOf(DECISION_OUTCOMES, { description: 'What was decided' }),
    reason: Text(4096, 'Why'),
    decidedAt: Type.Optional(Time('When it was decided; default: when the decision was saved')),
  },
  closed('ProvisionedDecision'),
);
export type ProvisionedDecision = Static<typeof ProvisionedDecision>;

export const ProvisionedSplitTest = Type.Object(
  {
    key: Id('Split test key, as used in code'),
    name: Type.Optional(Name),
    description: Type.Optional(nullable(Text(4096, 'What is tested; default: null'))),
    hypothesis: Type.Optional(nullable(Text(4096, 'What is expected, and why; default: null'))),
    tags: Type.Optional(Tags),
    owner: Type.Optional(Owner),
    type: Type.Optional(Type.Union([Type.Literal('id'), Type.Literal('text'), Type.Literal('json')])),
    status: Type.Optional(
      Type.Union(
        [
          Type.Literal('draft'),
          Type.Literal('running'),
          Type.Literal('paused'),
          Type.Literal('stopped'),
          Type.Literal('archived'),
        ],
        { description: 'Default: `draft`' },
      ),
    ),
    hashSeed: Type.Optional(Line(256, 'Determines the assignment of visitors; default: generated once')),
    trafficAllocation: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: 'Percentage of visitors in the test; default: 100',
      }),
    ),
    variations: Type.Optional(
      Type.Array(ProvisionedVariation, {
        minItems: 1,
        maxItems: 100,
        description: 'The first is the control',
      }),
    ),
    unit: Type.Optional(
      oneOf(['visitor', 'user'], {
        description:
          'Who is counted: each visitor, or all visitors of a user together, once one of them is known by `userId`; default: `visitor`',
      }),
    ),
    audience: Type.Optional(nullable(Audience)),
    exclusion: Type.Optional(nullable(Exclusion)),
    startAt: Type.Optional(NullableTime('When a draft starts automatically')),
    stopAt: Type.Optional(NullableTime('When the test stops automatically')),
    winner: Type.Optional(
      nullable(Id('Key of the variation that is served to everybody after the test has stopped')),
    ),
    decision: Type.Optional(nullable(ProvisionedDecision)),
    goals: Type.Optional(
      Type.Array(ProvisionedOutcome, {
        maxItems: 100,
        description: 'Goals, metrics and feedback; the first is the primary goal',
      }),
    ),
    guardrails: Type.Optional(
      Type.Array(ProvisionedGuardrail, {
        maxItems: 100,
        description:
          'Goals, metrics and feedback that must not get worse by more than `maxHarm`; must not overlap with `goals`',
      }),
    ),
    attributionDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 365,
        description: 'Days after the end of the test in which conversions still count; default: 7',
      }),
    ),
    plannedVisitors: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000_000_000,
          description: 'Total number of visitors, in all variations, at which the test ends',
        }),
      ),
    ),
    smallestEffect: Type.Optional(
      nullable(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: 1000,
          description:
            'Smallest change of the primary goal that matters, relative to the control: 0.02 is 2 %',
        }),
      ),
    ),
  },
  closed('ProvisionedSplitTest'),
);
export type ProvisionedSplitTest = Static<typeof ProvisionedSplitTest>;
