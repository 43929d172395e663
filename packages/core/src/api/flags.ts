import { type Static, Type } from 'typebox';
import { EntityKey, namedObject, PropertyId } from './common.ts';
import { FlagFormat, FlagType, FlagValue, Prerequisite, Rule, Segment } from './targeting.ts';

export const FlagListQuery = Type.Object({ propertyId: PropertyId });
export type FlagListQuery = Static<typeof FlagListQuery>;

const FlagDefinition = namedObject('Flag', {
  id: Type.String(),
  key: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  type: FlagType,
  format: Type.Optional(FlagFormat),
  defaultValue: FlagValue,
  createdAt: Type.Integer({ description: 'Unix time in milliseconds' }),
});

const FlagConfig = namedObject('FlagConfiguration', {
  id: Type.String(),
  flagId: Type.String(),
  environmentId: Type.String(),
  enabled: Type.Boolean(),
  value: FlagValue,
  rules: Type.Array(Rule),
  prerequisites: Type.Optional(Type.Array(Prerequisite, { description: 'Omitted if there are none' })),
});

export const FlagList = Type.Object(
  { flags: Type.Array(FlagDefinition), configs: Type.Array(FlagConfig) },
  {
    title: 'FlagList',
    examples: [
      {
        flags: [
          {
            id: 'flg_Zk31',
            key: 'new-checkout',
            name: 'New checkout',
            type: 'boolean',
            defaultValue: false,
            createdAt: 1767225600000,
          },
        ],
        configs: [
          {
            id: 'cfg_9sQ2',
            flagId: 'flg_Zk31',
            environmentId: 'production',
            enabled: true,
            value: false,
            rules: [
              {
                id: 'staff',
                conditions: [{ attribute: 'email', operator: 'endsWith', values: ['@shop.example'] }],
                value: true,
              },
            ],
          },
        ],
      },
    ],
  },
);
export type FlagList = Static<typeof FlagList>;

export const SegmentList = Type.Object(
  { segments: Type.Array(Segment) },
  {
    title: 'SegmentList',
    examples: [
      {
        segments: [
          {
            id: 'beta',
            match: 'any',
            conditions: [{ attribute: 'plan', operator: 'equals', values: ['beta'] }],
          },
        ],
      },
    ],
  },
);
export type SegmentList = Static<typeof SegmentList>;

export const EvaluationContext = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  'x-max-json-bytes': 65536,
  description:
    'Attributes used by rules. Percentage rollouts use the first of `targetingKey`, `userId`, `email`, `visitorId` and `sessionId`. With a known `sessionId`, missing `visitorId` and `userId` are filled in from the session. At most 64 KiB as JSON. A text of more than 2,048 characters, or a list of more than 500 elements or 4,096 characters, is treated as missing.',
  examples: [{ userId: 'u-42', email: 'ada@shop.example', plan: 'pro' }],
});

export const EvaluateBody = Type.Object(
  {
    propertyId: PropertyId,
    environment: Type.Optional(Type.String({ minLength: 1, maxLength: 128, default: 'production' })),
    context: Type.Optional(EvaluationContext),
    flagKeys: Type.Optional(
      Type.Array(EntityKey, {
        maxItems: 1000,
        description: 'Flags to evaluate; default: all. Unknown keys are omitted from the response.',
      }),
    ),
    record: Type.Optional(
      Type.Boolean({
        description:
          'Whether the evaluations of measured rules count in their results: of all flags in the response, so name those that are used. Default: the setting `recordEvaluations` of the property',
      }),
    ),
  },
  { title: 'EvaluateBody', examples: [{ propertyId: 'shop', context: { userId: 'u-42', plan: 'pro' } }] },
);
export type EvaluateBody = Static<typeof EvaluateBody>;

export const REASONS = ['DISABLED', 'TARGETING_MATCH', 'SPLIT', 'STATIC', 'DEFAULT'] as const;

const Evaluation = namedObject('Evaluation', {
  value: FlagValue,
  type: FlagType,
  format: Type.Optional(FlagFormat),
  reason: Type.String({ enum: [...REASONS] }),
  ruleId: Type.Optional(Type.String({ description: 'The matching rule' })),
  variant: Type.Optional(
    Type.String({ description: 'The entry of the split of the rule: its `key`, or its position from 0' }),
  ),
  version: Type.Integer({ description: 'Increases with every saved change of the flag' }),
});

export const Evaluations = Type.Object(
  {
    flags: Type.Record(Type.String(), Evaluation),
    recorded: Type.Optional(
      Type.Literal(false, {
        description:
          'Only if evaluations of measured rules were to be recorded, but could not be stored: they do not count. A later evaluation of the same visitor or user is recorded again',
      }),
    ),
  },
  {
    title: 'Evaluations',
    examples: [
      {
        flags: {
          'new-checkout': {
            value: true,
            type: 'boolean',
            reason: 'TARGETING_MATCH',
            ruleId: 'staff',
            version: 3,
          },
        },
      },
    ],
  },
);

export const FlagStreamQuery = Type.Object({ propertyId: PropertyId });

export const FlagStreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description:
        'The last `id` that was received. When anything has been saved since, the stream begins with a `change`',
      examples: ['7'],
    }),
  ),
});
export type FlagStreamHeaders = Static<typeof FlagStreamHeaders>;
