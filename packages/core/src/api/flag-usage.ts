import { type Static, Type } from 'typebox';
import { EntityKey, namedObject, nullable, oneOf, PropertyId } from './common.ts';
import { MAX_ID_LENGTH } from './limits/id-lengths.ts';
import { FlagValue } from './targeting.ts';

/** Max entries of one report. */
export const MAX_USAGE_COUNTS = 1000;

const FlagUsageCount = namedObject('FlagUsageCount', {
  flagKey: EntityKey,
  value: FlagValue,
  count: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'How often the flag had this value',
  }),
  lastAt: Type.Optional(
    Type.Number({
      minimum: 0,
      description:
        'The last time, Unix time in milliseconds. If it is missing, in the future or more than 72 hours old, the time of receipt is used',
      examples: [1767225600000],
    }),
  ),
});

/** Max exposures of one report. */
export const MAX_USAGE_EXPOSURES = 500;

const FlagExposure = namedObject('FlagExposure', {
  flagKey: EntityKey,
  ruleId: Type.String({ minLength: 1, maxLength: 128 }),
  variant: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'The entry of the split; `on` and `off` for inside and outside of a rollout',
  }),
  sessionId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_ID_LENGTH.sessionId,
      description: 'The visitor and user are those of the session, whenever they become known',
    }),
  ),
  visitorId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_ID_LENGTH.visitorId,
      description: 'Who it was, without a session',
    }),
  ),
  userId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_ID_LENGTH.userId,
      description: 'Who it was, without a session',
    }),
  ),
  at: Type.Optional(
    Type.Number({ minimum: 0, description: 'Unix time in milliseconds; default: the time of receipt' }),
  ),
  bot: Type.Optional(Type.Boolean({ description: 'For crawlers, which are not counted' })),
});
export type FlagExposure = Static<typeof FlagExposure>;

export const FlagUsageBody = Type.Object(
  {
    propertyId: PropertyId,
    environment: Type.Optional(Type.String({ minLength: 1, maxLength: 128, default: 'production' })),
    reportId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'Chosen by the sender. A report that is sent again with the same id within 24 hours counts once',
        examples: ['0b7d3f52-6c1e-4a8e-9d52-1f6a3b8c7e90'],
      }),
    ),
    counts: Type.Optional(
      Type.Array(FlagUsageCount, {
        minItems: 1,
        maxItems: MAX_USAGE_COUNTS,
        description: 'Can only be left out if there are `exposures`',
      }),
    ),
    exposures: Type.Optional(
      Type.Array(FlagExposure, {
        minItems: 1,
        maxItems: MAX_USAGE_EXPOSURES,
        description:
          'Evaluations of measured rules: once per visitor or user, variant and day. Those without any id, and of unknown rules and variants, are skipped',
      }),
    ),
  },
  {
    title: 'FlagUsageBody',
    examples: [{ propertyId: 'shop', counts: [{ flagKey: 'new-checkout', value: true, count: 120 }] }],
  },
);
export type FlagUsageBody = Static<typeof FlagUsageBody>;

export const FlagUsageQuery = Type.Object({
  propertyId: PropertyId,
  flagKey: Type.Optional(EntityKey),
});
export type FlagUsageQuery = Static<typeof FlagUsageQuery>;

const FlagValueUsage = namedObject('FlagValueUsage', {
  value: Type.Union([FlagValue, Type.Null()], {
    description: 'Cut after 240 characters. Null: all other values together',
  }),
  count: Type.Integer(),
  lastAt: Type.Integer(),
});

const FlagStaleness = namedObject('FlagStaleness', {
  reason: oneOf(['same_value', 'not_evaluated'], {
    description:
      '`same_value`: every evaluation of the last 30 days had the same value. `not_evaluated`: there was none',
  }),
  since: Type.Integer({ description: 'Unix time in milliseconds' }),
});

const FlagEnvironmentUsage = namedObject('FlagEnvironmentUsage', {
  environment: Type.String(),
  lastEvaluatedAt: nullable(Type.Integer()),
  evaluations: Type.Integer({ description: 'In the last 30 days' }),
  values: Type.Array(FlagValueUsage, { description: 'In the last 30 days, most frequent first' }),
  stale: nullable(FlagStaleness),
});

const FlagUsage = namedObject('FlagUsage', {
  flagKey: Type.String(),
  environments: Type.Array(FlagEnvironmentUsage),
});
export type FlagUsage = Static<typeof FlagUsage>;

export const FlagUsageList = Type.Object(
  {
    countingSince: Type.Integer({
      description: 'When this server began to count, Unix time in milliseconds',
    }),
    flags: Type.Array(FlagUsage),
  },
  {
    title: 'FlagUsageList',
    examples: [
      {
        countingSince: 1764547200000,
        flags: [
          {
            flagKey: 'new-checkout',
            environments: [
              {
                environment: 'production',
                lastEvaluatedAt: 1767225600000,
                evaluations: 5120,
                values: [{ value: true, count: 5120, lastAt: 1767225600000 }],
                stale: { reason: 'same_value', since: 1764547200000 },
              },
            ],
          },
        ],
      },
    ],
  },
);
export type FlagUsageList = Static<typeof FlagUsageList>;
