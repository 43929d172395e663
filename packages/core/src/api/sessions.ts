import { type Static, Type } from 'typebox';
import {
  EntityKey,
  From,
  freeObject,
  NextCursor,
  namedObject,
  nullable,
  oneOf,
  PageApiKey,
  PageCursor,
  PageLimit,
  PropertyId,
  phaseNumber,
  SessionId,
  TimelineCursor,
  Timestamp,
  To,
  UserId,
  VariationKey,
  VisitorId,
} from './common.ts';
import { CollectExposure, MAX_EXPOSURES } from './split-testing.ts';
import { MAX_TRAFFIC_VALUE_LENGTH, NO_TRAFFIC_VALUE } from './traffic.ts';

const EVENT_TYPES = ['pageview', 'event', 'identify'] as const;

const CollectEvent = namedObject('CollectEvent', {
  type: oneOf(EVENT_TYPES),
  name: Type.Optional(Type.String({ maxLength: 256 })),
  url: Type.Optional(Type.String({ maxLength: 4096 })),
  referrer: Type.Optional(Type.String({ maxLength: 4096 })),
  title: Type.Optional(Type.String({ maxLength: 1024 })),
  timestamp: Type.Optional(Timestamp),
  properties: Type.Optional(freeObject('Properties of the event')),
});

export const CollectBody = Type.Object(
  {
    propertyId: PropertyId,
    apiKey: PageApiKey,
    sessionId: SessionId,
    visitorId: VisitorId,
    userId: Type.Optional(UserId),
    attributes: Type.Optional(freeObject('Attributes of the session')),
    events: Type.Optional(Type.Array(CollectEvent, { maxItems: 500 })),
    exposures: Type.Optional(
      Type.Array(CollectExposure, {
        maxItems: MAX_EXPOSURES,
        description:
          'Exposures of this session, as in `/v1/split-testing/expose`; those of unknown tests or variations are dropped',
      }),
    ),
  },
  {
    title: 'CollectBody',
    examples: [
      {
        propertyId: 'shop',
        sessionId: 's-7f3c9a',
        visitorId: 'v-81b2',
        events: [
          {
            type: 'pageview',
            url: 'https://shop.example/',
            referrer: 'https://search.example/',
            title: 'Shop',
          },
        ],
      },
    ],
  },
);
export type CollectBody = Static<typeof CollectBody>;

export const DailyIdentityQuery = Type.Object({
  key: Type.Optional(Type.String({ description: 'The public key, for requests without a preflight' })),
});

export const DailyIdentityBody = Type.Object(
  { propertyId: PropertyId, apiKey: PageApiKey },
  { title: 'DailyIdentityBody', examples: [{ propertyId: 'shop' }] },
);
export type DailyIdentityBody = Static<typeof DailyIdentityBody>;

export const DailyIdentity = Type.Object(
  {
    id: Type.String({ description: 'For `visitorId` and `sessionId`' }),
    expiresAt: Type.Integer({ description: 'The end of the day (UTC), in Unix milliseconds' }),
  },
  {
    title: 'DailyIdentity',
    examples: [{ id: 'cookieless-9f86d081884c7d659a2feaa0c55ad015', expiresAt: 1767312000000 }],
  },
);
export type DailyIdentity = Static<typeof DailyIdentity>;

const clientFilter = (what: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: `Only sessions with this ${what}; \`${NO_TRAFFIC_VALUE}\`: not known`,
    }),
  );

export const SessionsQuery = Type.Object(
  {
    propertyId: PropertyId,
    from: From,
    to: To,
    visitorId: Type.Optional(VisitorId),
    userId: Type.Optional(UserId),
    country: clientFilter('country'),
    device: clientFilter('kind of device'),
    browser: clientFilter('browser'),
    os: clientFilter('operating system'),
    page: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_TRAFFIC_VALUE_LENGTH,
        description: `Only sessions that viewed this page: a path, without origin, query and fragment; \`${NO_TRAFFIC_VALUE}\`: with a page view without a URL`,
      }),
    ),
    bots: Type.Optional(
      oneOf(['exclude', 'only', 'include'], {
        description: 'Whether to list crawlers; default: `include`',
      }),
    ),
    splitTestKey: Type.Optional(EntityKey),
    variationKey: VariationKey,
    phase: phaseNumber(
      'Only exposures of this phase count; requires `splitTestKey`. Default: all phases; with `converted` or `multipleVariations`: the latest phase',
    ),
    multipleVariations: Type.Optional(
      Type.Boolean({
        description:
          'Whether the visitor saw several variations of the test during the phase; requires `splitTestKey`',
      }),
    ),
    goalId: Type.Optional(EntityKey),
    converted: Type.Optional(
      Type.Boolean({
        description:
          'Sessions with an exposure whose visitor converted, in any session, after the first exposure of the phase, or did not; requires `splitTestKey` and `goalId`',
      }),
    ),
    hasFeedback: Type.Optional(
      Type.Boolean({ description: 'With `feedbackTypeId`: whether they have feedback of this type' }),
    ),
    feedbackTypeId: Type.Optional(EntityKey),
    limit: PageLimit,
    cursor: PageCursor,
  },
  {
    dependentRequired: {
      variationKey: ['splitTestKey'],
      phase: ['splitTestKey'],
      multipleVariations: ['splitTestKey'],
      converted: ['splitTestKey', 'goalId'],
    },
  },
);
export type SessionsQuery = Static<typeof SessionsQuery>;

export const SessionParams = Type.Object({ sessionId: SessionId });
export const SessionQuery = Type.Object({
  propertyId: PropertyId,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 200, description: 'Entries of the timeline' }),
  ),
  cursor: TimelineCursor,
});
export type SessionQuery = Static<typeof SessionQuery>;

const sessionFields = {
  sessionId: Type.String(),
  visitorId: nullable(Type.String()),
  userId: nullable(Type.String()),
  startedAt: Type.Integer(),
  lastSeenAt: Type.Integer(),
  durationMs: Type.Integer(),
  entryUrl: nullable(Type.String()),
  exitUrl: nullable(Type.String()),
  referrer: nullable(Type.String()),
  pageviews: Type.Integer(),
  events: Type.Integer({ description: 'Custom events, without page views' }),
  country: Type.Optional(Type.String()),
  device: nullable(Type.String()),
  browser: nullable(Type.String()),
  os: nullable(Type.String()),
  bot: Type.Boolean({ description: 'Whether its requests look like those of a crawler' }),
  exposures: Type.Array(
    namedObject('SessionExposure', {
      splitTestKey: Type.String(),
      variationKey: Type.String(),
      at: Type.Integer(),
    }),
    { description: 'First exposure to each variation, oldest first; at most 100' },
  ),
  goals: Type.Array(
    namedObject('SessionGoal', {
      goalId: Type.String(),
      count: Type.Integer({ description: 'Increments minus decrements' }),
      amount: Type.Number({ description: 'Net dollars' }),
    }),
    { description: 'In the order in which they were first reached; at most 100' },
  ),
  feedback: Type.Integer({ description: 'Number of feedback entries' }),
};

const sessionExample = {
  sessionId: 's-7f3c9a',
  visitorId: 'v-81b2',
  userId: null,
  startedAt: 1767225600000,
  lastSeenAt: 1767225660000,
  durationMs: 60000,
  entryUrl: 'https://shop.example/',
  exitUrl: 'https://shop.example/checkout',
  referrer: 'https://search.example/',
  pageviews: 2,
  events: 1,
  country: 'NL',
  device: 'desktop',
  browser: 'Firefox',
  os: 'Linux',
  bot: false,
  exposures: [{ splitTestKey: 'hero', variationKey: 'b', at: 1767225600500 }],
  goals: [{ goalId: 'revenue', count: 1, amount: 49.9 }],
  feedback: 1,
};

export const SessionsPage = Type.Object(
  { sessions: Type.Array(Type.Object(sessionFields, { title: 'Session' })), nextCursor: NextCursor },
  { title: 'SessionsPage', examples: [{ sessions: [sessionExample], nextCursor: null }] },
);
export type SessionsPage = Static<typeof SessionsPage>;

const TimelineEntry = namedObject('TimelineEntry', {
  at: Type.Integer(),
  type: Type.String({ enum: [...EVENT_TYPES, 'exposure', 'goal', 'feedback'] }),
  name: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  referrer: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  properties: Type.Optional(freeObject('Properties of the event')),
  splitTestKey: Type.Optional(Type.String()),
  variationKey: Type.Optional(Type.String()),
  attributes: Type.Optional(freeObject('Attributes at the time of exposure')),
  goalId: Type.Optional(Type.String()),
  count: Type.Optional(Type.Integer({ description: '1, or -1 for a decrement' })),
  amount: Type.Optional(Type.Number({ description: 'Dollars; negative for a decrement' })),
  id: Type.Optional(Type.String()),
  feedbackTypeId: Type.Optional(Type.String()),
  option: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
});

export const SessionDetail = Type.Object(
  {
    ...sessionFields,
    attributes: Type.Optional(freeObject('Attributes of the last `collect` request of the session')),
    timeline: Type.Array(TimelineEntry, { description: 'Oldest first' }),
    nextCursor: NextCursor,
  },
  {
    title: 'SessionDetail',
    examples: [
      {
        ...sessionExample,
        attributes: { plan: 'trial' },
        timeline: [
          { at: 1767225600000, type: 'pageview', url: 'https://shop.example/' },
          { at: 1767225600500, type: 'exposure', splitTestKey: 'hero', variationKey: 'b' },
          { at: 1767225660000, type: 'goal', goalId: 'revenue', count: 1, amount: 49.9 },
        ],
        nextCursor: null,
      },
    ],
  },
);
export type SessionDetail = Static<typeof SessionDetail>;
