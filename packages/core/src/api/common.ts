import { type Static, type TSchema, Type } from 'typebox';

export const PropertyId = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'The property that the API key belongs to',
  examples: ['shop'],
});

/** Free text identifiers that clients choose: sessions, visitors, users. */
export const SessionId = Type.String({ minLength: 1, maxLength: 500, examples: ['s-7f3c9a'] });
export const VisitorId = Type.String({ minLength: 1, maxLength: 256, examples: ['v-81b2'] });
export const UserId = Type.String({ minLength: 1, maxLength: 256, examples: ['u-42'] });

export const EntityKey = Type.String({ minLength: 1, maxLength: 256 });

export const Timestamp = Type.Number({
  minimum: 0,
  description: 'Unix time in milliseconds',
  examples: [1767225600000],
});

/** A JSON object that is kept as it came; `x-max-json-bytes` is the limit of its JSON text in UTF-8. */
export const freeObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    'x-max-json-bytes': 8192,
    description: `${description}. At most 8 KiB as JSON.`,
  });

export const metadata = (limits: { keys: number; keyLength: number; valueLength: number }) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: limits.keys,
    propertyNames: { maxLength: limits.keyLength },
    additionalProperties: { type: 'string', maxLength: limits.valueLength },
    description: `String-to-string pairs: at most ${limits.keys} keys of ${limits.keyLength} characters, values of ${limits.valueLength}`,
    examples: [{ plan: 'pro' }],
  });

/** What every write answers. */
export const Success = Type.Object(
  { success: Type.Literal(true) },
  { description: 'It is on disk', examples: [{ success: true }] },
);

export const SuccessText = '{"success":true}';

/** A string of a few; typed as those, which `enum` alone would not be. */
export const oneOf = <const T extends string>(
  values: readonly T[],
  options: { description?: string; default?: NoInfer<T> } = {},
) => Type.Unsafe<T>(Type.String({ enum: [...values], ...options }));

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const PageLimit = Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 }));
export const PageCursor = Type.Optional(
  Type.String({
    maxLength: 4096,
    'x-cursor': true,
    description: 'The `nextCursor` of the page before',
  }),
);
export const NextCursor = Type.Union([Type.String(), Type.Null()], { description: 'Null on the last page' });

/** The last moment that a JavaScript date can hold. */
const LAST_MOMENT = 8_640_000_000_000_000;
const moment = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: LAST_MOMENT, description }));

export const From = moment('From this time on (Unix ms, inclusive)');
export const To = moment('Before this time (Unix ms, exclusive)');

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The same key with the same body counts once, for 24 hours',
      examples: ['order-1001-paid'],
    }),
  ),
});
export type IdempotencyHeaders = Static<typeof IdempotencyHeaders>;
