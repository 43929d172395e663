import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { MAX_ID_LENGTH } from './limits/id-lengths.ts';

export const PropertyId = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'The property that the API key belongs to',
  examples: ['shop'],
});

/** Ids chosen by clients: sessions, visitors, users. */
const clientId = (maxLength: number, example: string) =>
  Type.String({ minLength: 1, maxLength, examples: [example] });
export const SessionId = clientId(MAX_ID_LENGTH.sessionId, 's-7f3c9a');
export const VisitorId = clientId(MAX_ID_LENGTH.visitorId, 'v-81b2');
export const UserId = clientId(MAX_ID_LENGTH.userId, 'u-42');

export const EntityKey = Type.String({ minLength: 1, maxLength: 256 });
export const VariationKey = Type.Optional(
  Type.String({ minLength: 1, maxLength: 256, description: 'Requires `splitTestKey`' }),
);

export const Timestamp = Type.Number({
  minimum: 0,
  description:
    'When it happened by the clock of the client, Unix time in milliseconds. If it is missing, more than 72 hours old or more than 5 minutes ahead, the time of receipt is used',
  examples: [1767225600000],
});

/** A JSON object that is stored as it is; `x-max-json-bytes` limits its size as UTF-8 JSON. */
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
    description: `Strings by key: at most ${limits.keys} keys of up to ${limits.keyLength} characters, with values of up to ${limits.valueLength} characters`,
    examples: [{ plan: 'pro' }],
  });

/** The response to every write. */
export const Success = Type.Object(
  { success: Type.Literal(true) },
  { title: 'Success', description: 'Stored on disk', examples: [{ success: true }] },
);

export const SuccessText = '{"success":true}';

/** An object that generated clients have a type for: the OpenAPI document refers to schemas with a title by that name. */
export const namedObject = <T extends TProperties>(title: string, properties: T) =>
  Type.Object(properties, { title });

/** A string enum with a literal type, which `enum` alone does not give. */
export const oneOf = <const T extends string>(
  values: readonly T[],
  options: { title?: string; description?: string; default?: NoInfer<T> } = {},
) => Type.Unsafe<T>(Type.String({ enum: [...values], ...options }));

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const phaseNumber = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description }));

export const PageLimit = Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 }));
const cursor = (of: 'list' | 'timeline') =>
  Type.Optional(
    Type.String({ maxLength: 4096, 'x-cursor': of, description: 'The `nextCursor` of the previous page' }),
  );
export const PageCursor = cursor('list');
export const TimelineCursor = cursor('timeline');
export const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'Null on the last page. A page ends early at about 1 MiB',
});

/** The latest time of a JavaScript Date. */
const MAX_TIME = 8_640_000_000_000_000;
const optionalTime = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_TIME, description }));

export const From = optionalTime('Start of the period, inclusive (Unix milliseconds)');
export const To = optionalTime('End of the period, exclusive (Unix milliseconds)');

const COMPARED_UNITS = ['week', 'month'] as const;
/** The same part of the previous one is compared. */
export type ComparedUnit = (typeof COMPARED_UNITS)[number];

export const Compare = Type.Optional(
  oneOf(COMPARED_UNITS, {
    description: 'Compare with the same part of the week or month before the one that the period is part of',
  }),
);

/** How the previous period is chosen, for descriptions. */
export const COMPARISON =
  'A period that starts with a day of the property is compared with as many days before, until the same time of the day; any other with the time of the same length before it.';

export const TimeZoneName = Type.String({
  description: 'The time zone of its days, that of the property',
  examples: ['Europe/Berlin'],
});

export const PreviousPeriod = namedObject('PreviousPeriod', {
  from: Type.Integer({ description: 'Inclusive' }),
  to: Type.Integer({ description: 'Exclusive' }),
});

export const PartialBucket = Type.Optional(
  Type.Literal(true, {
    description: 'A part of the bucket is outside of the period, or has not happened yet',
  }),
);

const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Requests with the same key and body count once within 24 hours',
  examples: ['order-1001-paid'],
});
export const IdempotencyHeaders = Type.Object({ 'idempotency-key': Type.Optional(IdempotencyKey) });
export type IdempotencyHeaders = Static<typeof IdempotencyHeaders>;

/** For pages, which cannot send the header without a preflight. */
export const PageQuery = Type.Object({
  idempotencyKey: Type.Optional({
    ...IdempotencyKey,
    description: 'Instead of the header `Idempotency-Key`, for requests without a preflight',
  }),
});
export type PageQuery = Static<typeof PageQuery>;

export const PageApiKey = Type.Optional(
  Type.String({ description: 'The public key, if it is neither in the header nor in the query' }),
);

const BOTS = ['exclude', 'only', 'include'] as const;
/** Whether crawlers and headless browsers count. */
export type Bots = (typeof BOTS)[number];

/** Of figures, which are about people unless asked otherwise. */
export const CountedBots = Type.Optional(
  oneOf(BOTS, {
    default: 'exclude',
    description:
      'Whether to count people, crawlers and headless browsers, or both; what has no session counts as people',
  }),
);

/** Of lists, whose rows say what they are. */
export const ListedBots = Type.Optional(
  oneOf(BOTS, {
    default: 'include',
    description: 'Whether to list what belongs to crawlers and headless browsers',
  }),
);
