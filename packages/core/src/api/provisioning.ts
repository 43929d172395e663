import { type Static, Type } from 'typebox';
import { AaTestMode } from './aa-test.ts';
import { nullable, oneOf } from './common.ts';
import { DEFAULT_RETENTION_DAYS } from './default-retention.ts';
import { ProvisionedMetric } from './metrics.ts';
import { ProvisionedPrivacy } from './privacy.ts';
import { ProvisionedSplitTest } from './provisioned-split-test.ts';
import { closed, ID_PATTERN, Id, Line, Name, Owner, Tags, Text, Time } from './provisioning-fields.ts';
import { ProvisionedStatistics } from './statistics.ts';
import {
  FlagFormat,
  FlagType,
  FlagValue,
  type JsonSchema,
  Prerequisite,
  Rollout,
  RolloutStep,
  Rule,
  Segment,
} from './targeting.ts';
import { ProvisionedWebhook } from './webhooks.ts';

export const ProvisionedKey = Type.Object(
  {
    kind: Type.Union([Type.Literal('public'), Type.Literal('secret')]),
    name: Type.Optional(Line(256, 'Purpose of the key, unique per kind; default: the kind')),
    key: Type.Optional(
      Type.String({
        description: 'The full key, `service_pub_…` or `service_sec_…`; default: generated and printed once',
      }),
    ),
  },
  closed('ProvisionedKey'),
);
export type ProvisionedKey = Static<typeof ProvisionedKey>;

export const ProvisionedEnvironment = Type.Object(
  {
    id: Id('Environment id'),
    name: Type.Optional(Name),
    protected: Type.Optional(
      Type.Boolean({ description: 'Changes by editors need an approval; default: `false`' }),
    ),
  },
  closed('ProvisionedEnvironment'),
);
export type ProvisionedEnvironment = Static<typeof ProvisionedEnvironment>;

const ProvisionedRollout = Type.Object(
  {
    ...Rollout.properties,
    schedule: Type.Optional(
      Type.Array(
        Type.Object(
          { ...RolloutStep.properties, at: Time('When the percentage changes') },
          closed('ProvisionedRolloutStep'),
        ),
        { minItems: 1, maxItems: 50, description: 'Future changes of the percentage, ascending' },
      ),
    ),
  },
  closed('ProvisionedRollout'),
);

export const ProvisionedRule = Type.Object(
  { ...Rule.properties, rollout: Type.Optional(ProvisionedRollout) },
  closed('ProvisionedRule'),
);
export type ProvisionedRule = Static<typeof ProvisionedRule>;

export const ProvisionedFlagConfiguration = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ description: 'Default: `false`' })),
    value: Type.Optional(FlagValue),
    rules: Type.Optional(Type.Array(ProvisionedRule, { maxItems: 1000 })),
    prerequisites: Type.Optional(Type.Array(Prerequisite, { maxItems: 100 })),
  },
  closed('ProvisionedFlagConfiguration'),
);
export type ProvisionedFlagConfiguration = Static<typeof ProvisionedFlagConfiguration>;

const FlagSchema = Type.Unsafe<JsonSchema | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  description:
    'JSON schema that all values of a flag with a format must fit, checked when it is saved; without `$ref`. At most 16,384 characters as JSON. Default: null (any value)',
});

export const ProvisionedFlag = Type.Object(
  {
    key: Id('Flag key, as used in code'),
    name: Type.Optional(Name),
    description: Type.Optional(Text(4096, 'What the flag is for')),
    tags: Type.Optional(Tags),
    owner: Type.Optional(Owner),
    type: Type.Optional(FlagType),
    format: Type.Optional(nullable(FlagFormat)),
    schema: Type.Optional(FlagSchema),
    defaultValue: Type.Optional(FlagValue),
    environments: Type.Optional(
      Type.Record(Type.String({ pattern: ID_PATTERN }), ProvisionedFlagConfiguration, {
        additionalProperties: false,
        description: 'By environment id',
      }),
    ),
  },
  closed('ProvisionedFlag'),
);
export type ProvisionedFlag = Static<typeof ProvisionedFlag>;

export const TARGET_PERIODS = ['week', 'month', 'quarter'] as const;

const ProvisionedTarget = Type.Object(
  {
    value: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1_000_000_000_000_000,
      description: 'Number of conversions, or the amount of a revenue goal',
    }),
    period: oneOf(TARGET_PERIODS),
  },
  closed('ProvisionedTarget'),
);

export const ProvisionedGoal = Type.Object(
  {
    id: Id('Goal id, as used in code'),
    name: Type.Optional(Name),
    kind: Type.Optional(Type.Union([Type.Literal('count'), Type.Literal('revenue')])),
    lowerIsBetter: Type.Optional(
      Type.Boolean({ description: 'For goals such as complaints or refunds; default: `false`' }),
    ),
    target: Type.Optional(nullable(ProvisionedTarget)),
  },
  closed('ProvisionedGoal'),
);
export type ProvisionedGoal = Static<typeof ProvisionedGoal>;

const OptionValue = Type.String({ minLength: 1, maxLength: 256 });

export const ProvisionedOption = Type.Union([
  OptionValue,
  Type.Object(
    {
      value: OptionValue,
      label: Type.Optional(Line(256, 'Text to show; default: the value')),
      color: Type.Optional(
        Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', 'x-hint': 'must be a color like #3366cc' }),
      ),
    },
    closed('ProvisionedFeedbackOption'),
  ),
]);
export type ProvisionedOption = Static<typeof ProvisionedOption>;

export const ProvisionedFeedbackType = Type.Object(
  {
    id: Id('Feedback type id, as used in code'),
    name: Type.Optional(Name),
    options: Type.Optional(Type.Array(ProvisionedOption, { maxItems: 1000, uniqueItems: true })),
    textInput: Type.Optional(Type.Boolean({ description: 'Default: `false`' })),
  },
  closed('ProvisionedFeedbackType'),
);
export type ProvisionedFeedbackType = Static<typeof ProvisionedFeedbackType>;

/** The settings of a property. */
export const ProvisionedSettings = {
  id: Id('Property id'),
  name: Type.Optional(Name),
  retentionDays: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Null()], {
      description: `Events older than this are deleted, null: never; default: ${DEFAULT_RETENTION_DAYS} (25 months)`,
    }),
  ),
  allowedOrigins: Type.Optional(
    Type.Union([Type.Array(Type.String({ maxLength: 512 }), { maxItems: 1000 }), Type.Null()], {
      description: 'Origins that may call the browser endpoints; default: null (any)',
    }),
  ),
  hashSeed: Type.Optional(
    Line(
      256,
      'Determines the holdout, the visitors of each test in an exclusion group, and the A/A test; default: generated once',
    ),
  ),
  holdout: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Percentage of visitors excluded from all split tests; default: 0',
    }),
  ),
  statistics: Type.Optional(ProvisionedStatistics),
  aaTest: Type.Optional(AaTestMode),
  recordEvaluations: Type.Optional(
    Type.Boolean({
      description:
        'Whether evaluations of flags by this service count for measured rules even if the request does not say `record`; default: `false`',
    }),
  ),
  privacy: Type.Optional(ProvisionedPrivacy),
  displayCurrency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3}$',
      description: 'ISO 4217 code shown with amounts, which are not converted; default: `USD`',
      'x-hint': 'must be a currency code of three capital letters, like EUR',
    }),
  ),
  timeZone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'Time zone of days, weeks and months in reports and of the targets of goals, by its name in the IANA database; default: `UTC`',
      examples: ['Europe/Berlin'],
    }),
  ),
};

export const ProvisionedProperty = Type.Object(
  {
    ...ProvisionedSettings,
    apiKeys: Type.Optional(Type.Array(ProvisionedKey)),
    environments: Type.Optional(Type.Array(ProvisionedEnvironment)),
    goals: Type.Optional(Type.Array(ProvisionedGoal)),
    metrics: Type.Optional(Type.Array(ProvisionedMetric)),
    feedbackTypes: Type.Optional(Type.Array(ProvisionedFeedbackType)),
    splitTests: Type.Optional(Type.Array(ProvisionedSplitTest)),
    segments: Type.Optional(Type.Array(Segment)),
    flags: Type.Optional(Type.Array(ProvisionedFlag)),
    webhooks: Type.Optional(Type.Array(ProvisionedWebhook)),
  },
  closed('ProvisionedProperty'),
);
export type ProvisionedProperty = Static<typeof ProvisionedProperty>;

/**
 * The provision file. Anything it does not mention stays unchanged, down to single fields, but lists of variations,
 * rules, conditions and options are replaced as a whole. Only ids are required here: which other fields a new entity
 * needs is checked against the stored configuration.
 */
export const ProvisionFile = Type.Object(
  { properties: Type.Array(ProvisionedProperty) },
  closed('ProvisionFile'),
);
export type ProvisionFile = Static<typeof ProvisionFile>;
