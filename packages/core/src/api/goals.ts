import { type Static, Type } from 'typebox';
import {
  Compare,
  CountedBots,
  EntityKey,
  From,
  ListedBots,
  metadata,
  NextCursor,
  namedObject,
  nullable,
  oneOf,
  PageLimit,
  PartialBucket,
  PreviousPeriod,
  PropertyId,
  SessionId,
  TimelineCursor,
  TimeZoneName,
  To,
  UserId,
  VisitorId,
} from './common.ts';

/** Max amount of one call: in micro-dollars, it must stay an exact integer. */
export const MAX_AMOUNT = 1_000_000_000;

const goalBody = {
  goalId: EntityKey,
  propertyId: PropertyId,
  sessionId: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9-]{1,128}$',
      description:
        'Session of the conversion: at most 128 letters, digits and hyphens. Without it, the conversion counts in totals but in no split test.',
      examples: ['s-7f3c9a'],
    }),
  ),
  metadata: Type.Optional(metadata({ keys: 5, keyLength: 256, valueLength: 256 })),
};

export const IncrementBody = Type.Object(
  {
    ...goalBody,
    amount: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MAX_AMOUNT,
        description:
          'Dollars, rounded to a millionth; 0, or not so small that it would be rounded to 0. Required for revenue goals, ignored for the progress of count goals.',
      }),
    ),
  },
  {
    title: 'IncrementBody',
    examples: [{ goalId: 'revenue', propertyId: 'shop', sessionId: 's-7f3c9a', amount: 49.9 }],
  },
);

export const DecrementBody = Type.Object(
  {
    ...goalBody,
    amount: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: MAX_AMOUNT,
        'x-error-code': 'amount_not_positive',
        description:
          'Dollars to subtract; positive. Required for revenue goals, ignored for the progress of count goals.',
      }),
    ),
  },
  {
    title: 'DecrementBody',
    examples: [
      {
        goalId: 'revenue',
        propertyId: 'shop',
        sessionId: 's-7f3c9a',
        amount: 49.9,
        metadata: { reason: 'refund' },
      },
    ],
  },
);
export type GoalBody = Static<typeof IncrementBody>;

export const INTERVALS = ['hour', 'day', 'week'] as const;
export type Interval = (typeof INTERVALS)[number];

export const BucketInterval = Type.Optional(
  oneOf(INTERVALS, {
    default: 'day',
    description: 'Buckets are those of the time zone of the property; weeks start on Monday',
  }),
);

export const GoalProgressQuery = Type.Object({
  propertyId: PropertyId,
  goalId: EntityKey,
  from: From,
  to: To,
  interval: BucketInterval,
  compare: Compare,
  bots: CountedBots,
});
export type GoalProgressQuery = Static<typeof GoalProgressQuery>;

const totals = {
  total: Type.Number({
    description: 'Net progress: conversions for count goals, dollars for revenue goals',
  }),
  count: Type.Integer({ description: 'Increments minus decrements' }),
  gross: Type.Number({ description: 'Sum of increments' }),
  reversed: Type.Number({ description: 'Sum of decrements' }),
  increments: Type.Integer({ description: 'Number of increments' }),
  decrements: Type.Integer({ description: 'Number of decrements' }),
};

const PeriodTotals = namedObject('GoalTotals', {
  ...totals,
  amount: Type.Number({ description: 'Net dollars, also for count goals' }),
  grossAmount: Type.Number({ description: 'Dollars of the increments' }),
  reversedAmount: Type.Number({ description: 'Dollars of the decrements' }),
});

const GoalBucket = namedObject('GoalBucket', { at: Type.Integer(), ...totals, partial: PartialBucket });

export const GoalProgress = Type.Object(
  {
    goalId: Type.String(),
    kind: oneOf(['count', 'revenue']),
    timeZone: TimeZoneName,
    current: PeriodTotals,
    previous: PeriodTotals,
    previousPeriod: PreviousPeriod,
    bots: namedObject('GoalBots', {
      increments: Type.Integer({
        description: 'Of crawlers in the period; left out of all other figures, unless `bots` asks for them',
      }),
      decrements: Type.Integer(),
    }),
    series: Type.Array(GoalBucket, {
      description:
        'One entry per bucket, oldest first. If the period has more than 10,000 buckets, empty ones are omitted.',
    }),
    previousSeries: Type.Array(nullable(GoalBucket), {
      description:
        'For each bucket of `series` the same part of the previous period; null if there is none. Empty if the period has more than 10,000 buckets.',
    }),
  },
  {
    title: 'GoalProgress',
    examples: [
      {
        goalId: 'revenue',
        kind: 'revenue',
        timeZone: 'UTC',
        current: {
          total: 90,
          count: 2,
          gross: 140,
          reversed: 50,
          increments: 3,
          decrements: 1,
          amount: 90,
          grossAmount: 140,
          reversedAmount: 50,
        },
        previous: {
          total: 0,
          count: 0,
          gross: 0,
          reversed: 0,
          increments: 0,
          decrements: 0,
          amount: 0,
          grossAmount: 0,
          reversedAmount: 0,
        },
        previousPeriod: { from: 1767139200000, to: 1767225600000 },
        previousSeries: [
          {
            at: 1767139200000,
            total: 0,
            count: 0,
            gross: 0,
            reversed: 0,
            increments: 0,
            decrements: 0,
          },
        ],
        bots: { increments: 1, decrements: 0 },
        series: [
          {
            at: 1767225600000,
            total: 90,
            count: 2,
            gross: 140,
            reversed: 50,
            increments: 3,
            decrements: 1,
          },
        ],
      },
    ],
  },
);
export type GoalProgress = Static<typeof GoalProgress>;

const ConversionType = oneOf(['increment', 'decrement'], { title: 'ConversionType' });
export type ConversionType = Static<typeof ConversionType>;

export const ConversionsQuery = Type.Object({
  propertyId: PropertyId,
  goalId: Type.Optional(EntityKey),
  type: Type.Optional(ConversionType),
  sessionId: Type.Optional(SessionId),
  visitorId: Type.Optional(VisitorId),
  userId: Type.Optional(UserId),
  from: From,
  to: To,
  bots: ListedBots,
  limit: PageLimit,
  cursor: TimelineCursor,
});
export type ConversionsQuery = Static<typeof ConversionsQuery>;

const Conversion = namedObject('Conversion', {
  id: Type.String(),
  goalId: Type.String(),
  type: ConversionType,
  amount: Type.Number({ description: 'Dollars; negative for a decrement' }),
  sessionId: nullable(Type.String()),
  visitorId: nullable(Type.String()),
  userId: nullable(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
  createdAt: Type.Integer(),
  bot: Type.Boolean({ description: 'Whether its session belongs to a crawler' }),
});

export const ConversionsPage = Type.Object(
  { conversions: Type.Array(Conversion), nextCursor: NextCursor },
  {
    title: 'ConversionsPage',
    examples: [
      {
        conversions: [
          {
            id: 'cnv_51200',
            goalId: 'revenue',
            type: 'increment',
            amount: 49.9,
            sessionId: 's-7f3c9a',
            visitorId: 'v-81b2',
            userId: null,
            metadata: { plan: 'pro' },
            createdAt: 1767225600000,
            bot: false,
          },
        ],
        nextCursor: null,
      },
    ],
  },
);
export type ConversionsPage = Static<typeof ConversionsPage>;
