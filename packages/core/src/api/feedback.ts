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
  PageCursor,
  PageLimit,
  PartialBucket,
  PreviousPeriod,
  PropertyId,
  SessionId,
  TimeZoneName,
  To,
  UserId,
  VariationKey,
  VisitorId,
} from './common.ts';
import { BucketInterval } from './goals.ts';

export const FeedbackBody = Type.Object(
  {
    feedbackTypeId: EntityKey,
    propertyId: PropertyId,
    sessionId: Type.Optional(SessionId),
    option: Type.Optional(Type.String({ description: 'One of the options of the feedback type' })),
    message: Type.Optional(
      Type.String({ maxLength: 5000, description: 'Free text; only for feedback types with text input' }),
    ),
    metadata: Type.Optional(metadata({ keys: 20, keyLength: 256, valueLength: 1024 })),
  },
  {
    title: 'FeedbackBody',
    'x-required-any': ['option', 'message'],
    'x-error-code': 'feedback_empty',
    description: 'At least one of `option` and `message` is required',
    examples: [
      {
        feedbackTypeId: 'nps',
        propertyId: 'shop',
        sessionId: 's-7f3c9a',
        option: 'good',
        message: 'Fast checkout',
      },
    ],
  },
);
export type FeedbackBody = Static<typeof FeedbackBody>;

const FeedbackStatus = oneOf(['new', 'seen', 'done'], { title: 'FeedbackStatus' });
export type FeedbackStatus = Static<typeof FeedbackStatus>;

const filter = {
  propertyId: PropertyId,
  feedbackTypeId: Type.Optional(EntityKey),
  option: Type.Optional(Type.String()),
  hasMessage: Type.Optional(Type.Boolean()),
  search: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Part of the message; ignores case' }),
  ),
  splitTestKey: Type.Optional({
    ...EntityKey,
    description: 'Entries of visitors who had been exposed to this test when they submitted them',
  }),
  variationKey: VariationKey,
  flagKey: Type.Optional({
    ...EntityKey,
    description:
      'Entries of sessions for which this flag had the value `flagValue` when they were submitted: computed from the history and from what the service knows of the session. Entries for which this is not known are left out',
  }),
  flagValue: Type.Optional(Type.String({ maxLength: 8192, examples: ['true'] })),
  environment: Type.Optional({
    ...EntityKey,
    description: 'Environment of `flagKey`; default: `production`',
  }),
  sessionId: Type.Optional(SessionId),
  visitorId: Type.Optional(VisitorId),
  userId: Type.Optional(UserId),
  status: Type.Optional(FeedbackStatus),
  from: From,
  to: To,
};
const dependentRequired = {
  variationKey: ['splitTestKey'],
  flagKey: ['flagValue'],
  flagValue: ['flagKey'],
  environment: ['flagKey'],
};

export const FeedbackQuery = Type.Object(
  { ...filter, bots: ListedBots, limit: PageLimit, cursor: PageCursor },
  { dependentRequired },
);
export type FeedbackQuery = Static<typeof FeedbackQuery>;

export const FeedbackSummaryQuery = Type.Object(
  { ...filter, bots: CountedBots, interval: BucketInterval, compare: Compare },
  { dependentRequired },
);
export type FeedbackSummaryQuery = Static<typeof FeedbackSummaryQuery>;

export const FeedbackExportQuery = Type.Object(
  { ...filter, bots: ListedBots, format: Type.Optional(oneOf(['csv'], { default: 'csv' })) },
  { dependentRequired },
);
export type FeedbackExportQuery = Static<typeof FeedbackExportQuery>;

const submitted = {
  id: Type.String(),
  feedbackTypeId: Type.String(),
  sessionId: nullable(Type.String()),
  visitorId: nullable(Type.String()),
  userId: nullable(Type.String()),
  option: nullable(Type.String()),
  message: nullable(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
  createdAt: Type.Integer(),
  bot: Type.Boolean({ description: 'Whether its session belongs to a crawler' }),
};

/** An entry as it was submitted. */
export const SubmittedFeedback = namedObject('SubmittedFeedback', submitted);

const FeedbackEntry = namedObject('FeedbackEntry', {
  ...submitted,
  status: FeedbackStatus,
  notes: nullable(Type.String()),
});

export const FeedbackPage = Type.Object(
  {
    feedback: Type.Array(FeedbackEntry),
    nextCursor: NextCursor,
    computed: Type.Optional(
      Type.Literal(true, { description: 'With `flagKey`: its value was computed afterwards, not recorded' }),
    ),
  },
  {
    title: 'FeedbackPage',
    examples: [
      {
        feedback: [
          {
            id: 'fbk_3vN8qL1x',
            feedbackTypeId: 'nps',
            sessionId: 's-7f3c9a',
            visitorId: 'v-81b2',
            userId: null,
            option: 'good',
            message: 'Fast checkout',
            metadata: { page: '/checkout' },
            createdAt: 1767225600000,
            bot: false,
            status: 'seen',
            notes: 'Thanked them',
          },
        ],
        nextCursor: null,
      },
    ],
  },
);
export type FeedbackPage = Static<typeof FeedbackPage>;

const count = (description: string) => Type.Integer({ description });

export const FeedbackSummary = Type.Object(
  {
    from: Type.Integer(),
    to: Type.Integer(),
    total: Type.Integer(),
    withMessage: count('Entries with a message'),
    types: Type.Array(
      namedObject('FeedbackTypeCount', {
        feedbackTypeId: Type.String(),
        total: Type.Integer(),
        withMessage: Type.Integer(),
      }),
      { description: 'Types with entries, most entries first' },
    ),
    options: Type.Array(
      namedObject('FeedbackOptionCount', {
        feedbackTypeId: Type.String(),
        option: Type.String(),
        count: Type.Integer(),
      }),
      { description: 'Options that were chosen, most often first; at most 100' },
    ),
    statuses: Type.Object(
      { new: Type.Integer(), seen: Type.Integer(), done: Type.Integer() },
      {
        title: 'FeedbackStatusCounts',
        description: 'All entries that match the other filters, whatever their status',
      },
    ),
    complete: Type.Boolean({
      description:
        'False if this and the previous period have more than 20,000 entries that are seen or done; with these filters, older ones were then counted as new',
    }),
    series: Type.Array(
      namedObject('FeedbackBucket', {
        at: Type.Integer(),
        total: Type.Integer(),
        counts: Type.Array(Type.Integer(), { description: 'In the order of `options`' }),
        partial: PartialBucket,
      }),
      { description: 'One entry per bucket, oldest first' },
    ),
    bots: namedObject('FeedbackBots', {
      total: count(
        'Entries of crawlers in the period; left out of all other figures, unless `bots` asks for them',
      ),
    }),
    previous: namedObject('PreviousFeedback', {
      total: count('Entries in the previous period'),
    }),
    previousPeriod: PreviousPeriod,
    timeZone: TimeZoneName,
    flagFilter: Type.Optional(
      namedObject('FeedbackFlagFilter', {
        computed: Type.Literal(true, { description: 'The value was computed afterwards, not recorded' }),
        environment: Type.String(),
        examined: count('Entries whose flag value was computed, in this and the previous period'),
        complete: Type.Boolean({
          description: 'False if there are more: only the latest 5,000 entries are looked at',
        }),
      }),
    ),
  },
  {
    title: 'FeedbackSummary',
    examples: [
      {
        from: 1767225600000,
        to: 1767312000000,
        total: 3,
        withMessage: 1,
        types: [{ feedbackTypeId: 'nps', total: 3, withMessage: 1 }],
        options: [
          { feedbackTypeId: 'nps', option: 'good', count: 2 },
          { feedbackTypeId: 'nps', option: 'bad', count: 1 },
        ],
        statuses: { new: 2, seen: 0, done: 1 },
        complete: true,
        series: [{ at: 1767225600000, total: 3, counts: [2, 1] }],
        bots: { total: 1 },
        previous: { total: 4 },
        previousPeriod: { from: 1767139200000, to: 1767225600000 },
        timeZone: 'UTC',
      },
    ],
  },
);
export type FeedbackSummary = Static<typeof FeedbackSummary>;

/** What the team records about an entry. */
export const FeedbackStateBody = Type.Object(
  {
    status: Type.Optional(FeedbackStatus),
    notes: Type.Optional(
      Type.Union([Type.String({ maxLength: 4000 }), Type.Null()], {
        description: 'Null or empty removes them',
      }),
    ),
  },
  {
    title: 'FeedbackStateBody',
    minProperties: 1,
    examples: [{ status: 'done', notes: 'Fixed in the next release' }],
  },
);
export type FeedbackStateBody = Static<typeof FeedbackStateBody>;

export const FeedbackState = Type.Object(
  {
    id: Type.String(),
    status: FeedbackStatus,
    notes: nullable(Type.String()),
    updatedBy: Type.String(),
    updatedAt: Type.Integer(),
  },
  {
    title: 'FeedbackState',
    examples: [
      {
        id: 'fbk_3vN8qL1x',
        status: 'done',
        notes: 'Fixed in the next release',
        updatedBy: 'acc_5f0c',
        updatedAt: 1767225600000,
      },
    ],
  },
);
export type FeedbackState = Static<typeof FeedbackState>;
