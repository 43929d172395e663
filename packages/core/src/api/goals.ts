import { type Static, Type } from 'typebox';
import { EntityKey, From, metadata, oneOf, PropertyId, To } from './common.ts';

/** Largest amount of one call: its micro-dollars must stay an exact integer. */
export const MAX_AMOUNT = 1_000_000_000;

const goalBody = {
  goalId: EntityKey,
  propertyId: PropertyId,
  sessionId: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9-]{1,128}$',
      description:
        'Session it is attributed to: letters, digits and hyphens, at most 128. Without it the call counts in totals and in no test.',
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
          'Dollars. Required for revenue goals, ignored for the progress of count goals. Kept to a millionth.',
      }),
    ),
  },
  { examples: [{ goalId: 'revenue', propertyId: 'shop', sessionId: 's-7f3c9a', amount: 49.9 }] },
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
          'Dollars to subtract, positive. Required for revenue goals, ignored for the progress of count goals.',
      }),
    ),
  },
  {
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

export const GoalProgressQuery = Type.Object({
  propertyId: PropertyId,
  goalId: EntityKey,
  from: From,
  to: To,
  interval: Type.Optional(
    oneOf(INTERVALS, {
      default: 'day',
      description: 'Buckets are aligned to UTC; weeks start on Monday',
    }),
  ),
});
export type GoalProgressQuery = Static<typeof GoalProgressQuery>;

const PeriodTotals = Type.Object({
  total: Type.Number({ description: 'Net progress: conversions of a count goal, dollars of a revenue goal' }),
  count: Type.Integer({ description: 'Increments less decrements' }),
  gross: Type.Number({ description: 'What increments added' }),
  reversed: Type.Number({ description: 'What decrements took back' }),
});

export const GoalProgress = Type.Object(
  {
    goalId: Type.String(),
    kind: oneOf(['count', 'revenue']),
    current: PeriodTotals,
    previous: PeriodTotals,
    series: Type.Array(Type.Object({ at: Type.Integer(), total: Type.Number(), count: Type.Integer() }), {
      description:
        'One entry per bucket, oldest first. A period of more than 10,000 buckets has only those in which something happened.',
    }),
  },
  {
    examples: [
      {
        goalId: 'revenue',
        kind: 'revenue',
        current: { total: 90, count: 2, gross: 140, reversed: 50 },
        previous: { total: 0, count: 0, gross: 0, reversed: 0 },
        series: [{ at: 1767225600000, total: 90, count: 2 }],
      },
    ],
  },
);
export type GoalProgress = Static<typeof GoalProgress>;
