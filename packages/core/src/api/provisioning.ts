import { type Static, Type } from 'typebox';
import { FlagType, FlagValue, Prerequisite, Rule, Segment } from './targeting.ts';

// A misspelt field in a file is a mistake, so nothing unknown is let through.
const closed = { additionalProperties: false } as const;

const ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$';

// `x-hint` says in words what a pattern says in signs; messages show it.
const Id = (description: string) =>
  Type.String({
    pattern: ID_PATTERN,
    description,
    'x-hint': 'must be 1 to 128 letters, digits, ".", "_" or "-", and start with a letter or digit',
  });

/** One line of text: no control characters, which a terminal would obey and PostgreSQL refuses. */
const Line = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[^\\p{Cc}\\p{Cs}]*$',
    description,
    'x-hint': 'must be one line of text without control characters',
  });

const Name = Line(256, 'Name that people read; the id unless said');

export const ProvisionedKey = Type.Object(
  {
    kind: Type.Union([Type.Literal('public'), Type.Literal('secret')]),
    name: Type.Optional(Line(256, 'What the key is for, one name per kind; the kind unless said')),
    key: Type.Optional(
      Type.String({
        description:
          'The whole key, `service_pub_…` or `service_sec_…`; generated and printed once when left out',
      }),
    ),
  },
  closed,
);
export type ProvisionedKey = Static<typeof ProvisionedKey>;

export const ProvisionedEnvironment = Type.Object(
  { id: Id('Environment id'), name: Type.Optional(Name) },
  closed,
);
export type ProvisionedEnvironment = Static<typeof ProvisionedEnvironment>;

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
  closed,
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
    goals: Type.Optional(
      Type.Array(Id('Goal id'), { maxItems: 100, description: 'The first is the primary goal' }),
    ),
  },
  closed,
);
export type ProvisionedSplitTest = Static<typeof ProvisionedSplitTest>;

export const ProvisionedFlagConfiguration = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ description: '`false` unless said' })),
    value: Type.Optional(FlagValue),
    rules: Type.Optional(Type.Array(Rule, { maxItems: 1000 })),
    prerequisites: Type.Optional(Type.Array(Prerequisite, { maxItems: 100 })),
  },
  closed,
);
export type ProvisionedFlagConfiguration = Static<typeof ProvisionedFlagConfiguration>;

export const ProvisionedFlag = Type.Object(
  {
    key: Id('Flag key, as code names it'),
    name: Type.Optional(Name),
    description: Type.Optional(
      Type.String({ maxLength: 4096, pattern: '^[^\\u0000\\p{Cs}]*$', 'x-hint': 'must be text' }),
    ),
    type: Type.Optional(FlagType),
    defaultValue: Type.Optional(FlagValue),
    environments: Type.Optional(
      Type.Record(Type.String({ pattern: ID_PATTERN }), ProvisionedFlagConfiguration, {
        additionalProperties: false,
        description: 'By environment id',
      }),
    ),
  },
  closed,
);
export type ProvisionedFlag = Static<typeof ProvisionedFlag>;

export const ProvisionedGoal = Type.Object(
  {
    id: Id('Goal id, as code names it'),
    name: Type.Optional(Name),
    kind: Type.Optional(Type.Union([Type.Literal('count'), Type.Literal('revenue')])),
  },
  closed,
);
export type ProvisionedGoal = Static<typeof ProvisionedGoal>;

export const ProvisionedFeedbackType = Type.Object(
  {
    id: Id('Feedback type id, as code names it'),
    name: Type.Optional(Name),
    options: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 1000, uniqueItems: true }),
    ),
    textInput: Type.Optional(Type.Boolean({ description: '`false` unless said' })),
  },
  closed,
);
export type ProvisionedFeedbackType = Static<typeof ProvisionedFeedbackType>;

export const ProvisionedProperty = Type.Object(
  {
    id: Id('Property id'),
    name: Type.Optional(Name),
    retentionDays: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Null()], {
        description: 'Events older than this are deleted; null, the default, keeps them for ever',
      }),
    ),
    allowedOrigins: Type.Optional(
      Type.Union([Type.Array(Type.String({ maxLength: 512 }), { maxItems: 1000 }), Type.Null()], {
        description: 'Origins whose pages may call the browser endpoints; null, the default, allows any',
      }),
    ),
    apiKeys: Type.Optional(Type.Array(ProvisionedKey)),
    environments: Type.Optional(Type.Array(ProvisionedEnvironment)),
    goals: Type.Optional(Type.Array(ProvisionedGoal)),
    feedbackTypes: Type.Optional(Type.Array(ProvisionedFeedbackType)),
    splitTests: Type.Optional(Type.Array(ProvisionedSplitTest)),
    segments: Type.Optional(Type.Array(Segment)),
    flags: Type.Optional(Type.Array(ProvisionedFlag)),
  },
  closed,
);
export type ProvisionedProperty = Static<typeof ProvisionedProperty>;

/**
 * The provision file. What it does not name stays as it is, down to single fields; a list of variations, rules,
 * conditions or options is replaced as a whole. Only identifiers are required here: what a new entity needs
 * besides is checked against what is stored.
 */
export const ProvisionFile = Type.Object({ properties: Type.Array(ProvisionedProperty) }, closed);
export type ProvisionFile = Static<typeof ProvisionFile>;
