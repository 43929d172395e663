import { type Static, Type } from 'typebox';
import { namedObject } from './common.ts';

/** OpenFeature Remote Evaluation Protocol: https://github.com/open-feature/protocol */
export const OfrepBody = Type.Object(
  {
    context: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        title: 'OfrepContext',
        type: 'object',
        additionalProperties: true,
        'x-max-json-bytes': 65536,
        properties: { targetingKey: { type: 'string' } },
      }),
    ),
  },
  { title: 'OfrepBody', examples: [{ context: { targetingKey: 'u-42', plan: 'pro' } }] },
);
export type OfrepBody = Static<typeof OfrepBody>;

export const OfrepParams = Type.Object({ key: Type.String({ minLength: 1, maxLength: 256 }) });

export const OfrepHeaders = Type.Object({
  'x-environment': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      default: 'production',
      description: 'Environment to evaluate in',
    }),
  ),
  'x-record': Type.Optional(
    Type.String({
      pattern: '^(true|false)$',
      description:
        'Whether the evaluations of measured rules count in their results. Default: the setting `recordEvaluations` of the property',
    }),
  ),
  'if-none-match': Type.Optional(Type.String()),
});

const OfrepMetadata = namedObject('OfrepMetadata', { version: Type.Integer() });

export const OfrepEvaluation = Type.Object(
  {
    key: Type.String(),
    value: Type.Unknown({ description: 'Parsed if the flag has a format: a number, or any JSON value' }),
    reason: Type.String({ enum: ['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DISABLED', 'DEFAULT'] }),
    variant: Type.String({
      description:
        'For a rule with a split, the `key` of the entry or its position from 0; otherwise the id of the matching rule, or `default`',
    }),
    metadata: OfrepMetadata,
  },
  {
    title: 'OfrepEvaluation',
    examples: [
      {
        key: 'new-checkout',
        value: true,
        reason: 'TARGETING_MATCH',
        variant: 'staff',
        metadata: { version: 3 },
      },
    ],
  },
);

export const OfrepBulk = Type.Object(
  { flags: Type.Array(OfrepEvaluation), metadata: OfrepMetadata },
  {
    title: 'OfrepEvaluations',
    examples: [
      {
        flags: [
          {
            key: 'new-checkout',
            value: false,
            reason: 'STATIC',
            variant: 'default',
            metadata: { version: 1 },
          },
        ],
        metadata: { version: 7 },
      },
    ],
  },
);

export const OFREP_ERRORS = [
  'PARSE_ERROR',
  'TARGETING_KEY_MISSING',
  'INVALID_CONTEXT',
  'GENERAL',
  'FLAG_NOT_FOUND',
] as const;

export const OfrepFailure = Type.Object(
  {
    key: Type.Optional(Type.String()),
    errorCode: Type.String({ enum: [...OFREP_ERRORS] }),
    errorDetails: Type.Optional(Type.String()),
  },
  {
    title: 'OfrepFailure',
    examples: [{ key: 'new-chekout', errorCode: 'FLAG_NOT_FOUND', errorDetails: 'There is no such flag.' }],
  },
);
export type OfrepFailure = Static<typeof OfrepFailure>;
