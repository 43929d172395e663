import { type Static, Type } from 'typebox';
import { oneOf } from './common.ts';
import { Guardrails, Outcomes, PlannedVisitors, SmallestEffect } from './test-outcomes.ts';

/** Flags are booleans or strings. */
export const FlagValue = Type.Union([Type.Boolean(), Type.String({ maxLength: 8192 })], {
  title: 'FlagValue',
});
export type FlagValue = Static<typeof FlagValue>;

export const FlagType = Type.Union([Type.Literal('boolean'), Type.Literal('string')], { title: 'FlagType' });
export type FlagType = Static<typeof FlagType>;

export const FlagFormat = oneOf(['number', 'json'], {
  title: 'FlagFormat',
  description:
    'What the texts of a flag of type string are; SDKs and OFREP return them parsed. Without it, they are plain text',
});
export type FlagFormat = Static<typeof FlagFormat>;

/** A JSON schema of the keywords that `checkSchema` accepts. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const OPERATORS = [
  'equals',
  'notEquals',
  'in',
  'notIn',
  'contains',
  'startsWith',
  'endsWith',
  'matches',
  'lessThan',
  'lessThanOrEqual',
  'greaterThan',
  'greaterThanOrEqual',
  'before',
  'after',
  'semverEqual',
  'semverLessThan',
  'semverLessThanOrEqual',
  'semverGreaterThan',
  'semverGreaterThanOrEqual',
  'isSet',
  'isNotSet',
  'inSegment',
] as const;
export type Operator = (typeof OPERATORS)[number];

const ConditionValue = Type.Union([Type.String({ maxLength: 1024 }), Type.Number(), Type.Boolean()]);

export const Condition = Type.Object(
  {
    attribute: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Name of the context attribute; required by every operator except `inSegment`',
      }),
    ),
    operator: oneOf(OPERATORS, { title: 'Operator' }),
    values: Type.Optional(Type.Array(ConditionValue, { maxItems: 1000 })),
    negate: Type.Optional(
      Type.Boolean({ description: 'Inverts the result; a missing attribute still never matches' }),
    ),
    caseInsensitive: Type.Optional(Type.Boolean()),
  },
  { title: 'Condition', additionalProperties: false },
);
export type Condition = Static<typeof Condition>;

export const Match = Type.Union([Type.Literal('all'), Type.Literal('any')]);

export const RolloutStep = Type.Object(
  {
    at: Type.Integer({ description: 'Unix time in milliseconds' }),
    percentage: Type.Number({ minimum: 0, maximum: 100 }),
  },
  { title: 'RolloutStep', additionalProperties: false },
);

export const Rollout = Type.Object(
  {
    percentage: Type.Number({ minimum: 0, maximum: 100 }),
    by: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Attribute to hash; default: the first id in the context',
      }),
    ),
    salt: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'Hash salt; default: the id of the rule' }),
    ),
    schedule: Type.Optional(
      Type.Array(RolloutStep, {
        minItems: 1,
        maxItems: 50,
        description: 'Future changes of the percentage, ascending; a step is removed once it has been made',
      }),
    ),
    guardrails: Type.Optional(
      Type.Array(Guardrails.items, {
        minItems: 1,
        maxItems: 20,
        description:
          'With a schedule: those inside of the rollout are compared with those outside. A step is made only without harm, and harm beyond `maxHarm` (default: 0.05, or `smallestEffect` of `measure`) rolls back',
      }),
    ),
    minVisitors: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description:
          'With this many visitors inside since the last step, and no proven harm, the next one is made; default: only once harm beyond the margins is excluded',
      }),
    ),
    maxWaitDays: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 365,
        description:
          'How long a step waits for enough data, without the time in which flag or rule are off; then the rollout stays where it is until somebody decides. Default: 14',
      }),
    ),
  },
  { title: 'Rollout', additionalProperties: false },
);
export type Rollout = Static<typeof Rollout>;

export const SplitEntry = Type.Object(
  {
    key: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
        description: 'Name of the variant; default: the position in the split, from 0',
      }),
    ),
    value: FlagValue,
    weight: Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Relative to the sum of the weights',
    }),
  },
  { title: 'SplitEntry', additionalProperties: false },
);
export type SplitEntry = Static<typeof SplitEntry>;

/** What a rule is measured by, like a split test. */
export const Measure = Type.Object(
  {
    goals: Type.Array(Outcomes.items, { ...Outcomes, minItems: 1 }),
    guardrails: Type.Optional(Guardrails),
    plannedVisitors: Type.Optional(PlannedVisitors),
    smallestEffect: Type.Optional(SmallestEffect),
  },
  {
    title: 'Measure',
    additionalProperties: false,
    description:
      'Compares those who get one value with those who get another, like a split test; for rules with a split, or with a rollout below 100 %',
  },
);
export type Measure = Static<typeof Measure>;

export const Rule = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 128 }),
    name: Type.Optional(Type.String({ maxLength: 256 })),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    match: Type.Optional(Match),
    conditions: Type.Optional(Type.Array(Condition, { maxItems: 100 })),
    rollout: Type.Optional(Rollout),
    value: Type.Optional(FlagValue),
    split: Type.Optional(
      Type.Array(SplitEntry, {
        minItems: 2,
        maxItems: 20,
        description: 'Several values instead of `value`, each for its share of those who match',
      }),
    ),
    measure: Type.Optional(Measure),
  },
  { title: 'Rule', additionalProperties: false },
);
export type Rule = Static<typeof Rule>;

export const Prerequisite = Type.Object(
  { flag: Type.String({ minLength: 1, maxLength: 256 }), value: FlagValue },
  { title: 'Prerequisite', additionalProperties: false },
);
export type Prerequisite = Static<typeof Prerequisite>;

/** A named set of conditions that rules use with `inSegment`. */
export const Segment = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$' }),
    name: Type.Optional(
      Type.String({ maxLength: 256, pattern: '^[^\\u0000\\p{Cs}]*$', 'x-hint': 'must be text' }),
    ),
    match: Type.Optional(Match),
    conditions: Type.Array(Condition, { maxItems: 1000 }),
  },
  { title: 'Segment', additionalProperties: false },
);
export type Segment = Static<typeof Segment>;

/** The configuration of a flag in one environment. */
export interface FlagConfiguration {
  enabled: boolean;
  value: FlagValue;
  rules: Rule[];
  prerequisites: Prerequisite[];
}

/** A flag for the evaluator: the definition and its configuration in one environment. */
export interface FlagDefinition {
  key: string;
  type: FlagType;
  format?: FlagFormat;
  defaultValue: FlagValue;
  version: number;
  configuration?: FlagConfiguration;
}
