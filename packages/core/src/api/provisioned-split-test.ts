import { type Static, Type } from 'typebox';
import { nullable } from './common.ts';
import { Id, Line, Name, noExtraFields } from './provisioning-fields.ts';

const ProvisionedVariation = Type.Object(
  {
    key: Id('Variation key'),
    weight: Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Share of traffic, relative to the others',
    }),
    value: Type.Optional(
      Type.String({
        maxLength: 65_536,
        description: 'Content; JSON text for type `json`, the key for type `id`',
      }),
    ),
  },
  noExtraFields,
);

const Exclusion = Type.Object(
  {
    group: Id('Tests of one group never share a visitor'),
    share: Type.Number({
      exclusiveMinimum: 0,
      maximum: 100,
      description:
        'Percentage of all visitors that the test may have; those of a group add up to at most 100',
    }),
    from: Type.Optional(
      Type.Number({
        minimum: 0,
        exclusiveMaximum: 100,
        description: 'Where its part of 0 to 100 begins; the first free place unless said, and then stable',
      }),
    ),
  },
  noExtraFields,
);

/** Checked further when the file is read: whether it is a time at all. */
const Moment = (description: string) =>
  Type.Optional(
    Type.Union([Type.String({ maxLength: 64 }), Type.Number(), Type.Null()], {
      description: `${description}: ISO 8601 (UTC where no zone is said) or Unix milliseconds; null, the default, for none`,
    }),
  );

export const ProvisionedSplitTest = Type.Object(
  {
    key: Id('Split test key, as code names it'),
    name: Type.Optional(Name),
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
        { description: '`draft` unless said' },
      ),
    ),
    hashSeed: Type.Optional(Line(256, 'Decides who sees what; generated once when left out')),
    trafficAllocation: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: 'Percentage of visitors in the test; 100 unless said',
      }),
    ),
    variations: Type.Optional(
      Type.Array(ProvisionedVariation, {
        minItems: 1,
        maxItems: 100,
        description: 'The first is the control',
      }),
    ),
    exclusion: Type.Optional(nullable(Exclusion)),
    startAt: Moment('When a draft starts by itself'),
    stopAt: Moment('When the test stops by itself'),
    winner: Type.Optional(
      nullable(Id('Key of the variation that everybody gets now that the test is stopped')),
    ),
    goals: Type.Optional(
      Type.Array(Id('Goal id'), { maxItems: 100, description: 'The first is the primary goal' }),
    ),
    guardrails: Type.Optional(
      Type.Array(Id('Goal id'), {
        maxItems: 100,
        description: 'Goals that must not get worse; none that `goals` has',
      }),
    ),
    attributionDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 365,
        description: 'Days after the end of the test in which a conversion still counts; 7 unless said',
      }),
    ),
    plannedVisitors: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000_000_000,
          description: 'Visitors of all variations together at which a fixed horizon is reached',
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
  noExtraFields,
);
export type ProvisionedSplitTest = Static<typeof ProvisionedSplitTest>;
