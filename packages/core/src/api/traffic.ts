import { type Static, Type } from 'typebox';
import {
  Compare,
  From,
  namedObject,
  nullable,
  oneOf,
  PartialBucket,
  PreviousPeriod,
  PropertyId,
  TimeZoneName,
  To,
} from './common.ts';

/** What sessions can be grouped and filtered by. */
export const TRAFFIC_DIMENSIONS = [
  'page',
  'entryPage',
  'exitPage',
  'referrer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'utmContent',
  'utmTerm',
  'country',
  'device',
  'browser',
  'os',
] as const;
export type TrafficDimension = (typeof TRAFFIC_DIMENSIONS)[number];

/** As a filter: sessions without a value. In rows of a breakdown this is `null`. */
export const NO_TRAFFIC_VALUE = '(none)';

/** Dimensions that are derived from the browser or the address of a visitor. */
const CLIENT_DIMENSIONS: readonly string[] = ['country', 'device', 'browser', 'os'];

/** The value that a filter asks for; null: sessions without a value, which `unknown` means too for what clients tell. */
export function filterValue(dimension: TrafficDimension, value: string): string | null {
  const isUnknown = value === 'unknown' && CLIENT_DIMENSIONS.includes(dimension);
  return isUnknown || value === NO_TRAFFIC_VALUE ? null : value;
}

/** Longer values are truncated to this length. */
export const MAX_TRAFFIC_VALUE_LENGTH = 500;

export const MAX_TRAFFIC_DAYS = 1100;

export const TRAFFIC_INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type TrafficInterval = (typeof TRAFFIC_INTERVALS)[number];

/** Max buckets of a series. */
export const MAX_TRAFFIC_BUCKETS = 1500;

const filter = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_TRAFFIC_VALUE_LENGTH,
      description: `Only sessions with this ${description}; \`${NO_TRAFFIC_VALUE}\`: without any`,
      examples: [example],
    }),
  );

/** One filter per dimension. */
const filters = {
  page: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_TRAFFIC_VALUE_LENGTH,
      description: `Only sessions that viewed this page (path); \`${NO_TRAFFIC_VALUE}\`: with a page view without a URL`,
      examples: ['/pricing'],
    }),
  ),
  entryPage: filter('first page', '/'),
  exitPage: filter('last page', '/checkout'),
  referrer: filter('referrer (host)', 'search.example'),
  utmSource: filter('`utm_source` in the URL of the first page', 'newsletter'),
  utmMedium: filter('`utm_medium`', 'email'),
  utmCampaign: filter('`utm_campaign`', 'spring'),
  utmContent: filter('`utm_content`', 'header'),
  utmTerm: filter('`utm_term`', 'shoes'),
  country: filter('country', 'NL'),
  device: filter('kind of device', 'desktop'),
  browser: filter('browser', 'Firefox'),
  os: filter('operating system', 'Linux'),
} satisfies Record<TrafficDimension, unknown>;

const trafficQuery = {
  propertyId: PropertyId,
  from: From,
  to: To,
  compare: Compare,
  ...filters,
  bots: Type.Optional(
    oneOf(['exclude', 'only'], {
      default: 'exclude',
      description: 'Whether to count people, or crawlers and headless browsers',
    }),
  ),
};

export const TrafficQuery = Type.Object(trafficQuery);
export type TrafficQuery = Static<typeof TrafficQuery>;

export const TrafficSeriesQuery = Type.Object({
  ...trafficQuery,
  interval: Type.Optional(
    oneOf(TRAFFIC_INTERVALS, {
      description: `Buckets are those of the time zone of the property; weeks start on Monday. At most ${MAX_TRAFFIC_BUCKETS} buckets. Default: \`hour\` for periods up to 3 days, \`day\` up to 92 days, \`week\` up to 550 days, then \`month\``,
    }),
  ),
});
export type TrafficSeriesQuery = Static<typeof TrafficSeriesQuery>;

export const TrafficBreakdownQuery = Type.Object({
  ...trafficQuery,
  by: oneOf(TRAFFIC_DIMENSIONS),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 10 })),
});
export type TrafficBreakdownQuery = Static<typeof TrafficBreakdownQuery>;

/** Query of the endpoints that are always about now. */
export const TrafficNowQuery = Type.Object({ propertyId: PropertyId });
export type TrafficNowQuery = Static<typeof TrafficNowQuery>;

const BounceRate = nullable(
  Type.Number({
    description:
      'Share of sessions, from 0 to 1, with one page view and no custom event, conversion or feedback',
  }),
);

const visitCounts = {
  visitors: Type.Integer({ description: 'A session without a visitor id counts as a visitor' }),
  sessions: Type.Integer({ description: 'Sessions that started in the period' }),
  pageviews: Type.Integer({ description: 'Page views of these sessions' }),
  bounceRate: BounceRate,
};

const trafficCounts = {
  ...visitCounts,
  averageDurationSeconds: nullable(Type.Number({ description: 'From the first event to the last' })),
  conversions: Type.Integer({ description: 'Increments minus decrements of all goals in the period' }),
  revenue: Type.Number({ description: 'Dollars that revenue goals booked in the period, net of refunds' }),
};

const TrafficTotals = namedObject('TrafficTotals', {
  ...trafficCounts,
  feedback: Type.Integer({ description: 'Feedback entries in the period' }),
});

const TrafficBucket = namedObject('TrafficBucket', {
  at: Type.Integer({ description: 'Start of the bucket' }),
  ...trafficCounts,
  partial: PartialBucket,
});

const period = {
  from: Type.Integer(),
  to: Type.Integer(),
  asOf: Type.Integer({ description: 'Time of the counts' }),
  timeZone: TimeZoneName,
};

const exampleCounts = {
  visitors: 812,
  sessions: 1040,
  pageviews: 3915,
  bounceRate: 0.41,
  averageDurationSeconds: 95.5,
  conversions: 52,
  revenue: 2594.8,
};
const examplePeriod = {
  from: 1767225600000,
  to: 1769817600000,
  asOf: 1769817600000,
  timeZone: 'UTC',
};

export const TrafficSummary = Type.Object(
  {
    ...period,
    current: TrafficTotals,
    previous: TrafficTotals,
    previousPeriod: PreviousPeriod,
    bots: namedObject('TrafficBots', { sessions: Type.Integer(), visitors: Type.Integer() }),
  },
  {
    title: 'TrafficSummary',
    examples: [
      {
        ...examplePeriod,
        current: { ...exampleCounts, feedback: 7 },
        previous: { ...exampleCounts, feedback: 7 },
        previousPeriod: { from: 1764633600000, to: 1767225600000 },
        bots: { sessions: 31, visitors: 9 },
      },
    ],
  },
);
export type TrafficSummary = Static<typeof TrafficSummary>;
export type TrafficTotals = TrafficSummary['current'];

export const TrafficSeries = Type.Object(
  {
    ...period,
    interval: oneOf(TRAFFIC_INTERVALS),
    buckets: Type.Array(TrafficBucket, { description: 'Every bucket of the period, oldest first' }),
  },
  {
    title: 'TrafficSeries',
    examples: [
      { ...examplePeriod, interval: 'day', buckets: [{ at: examplePeriod.from, ...exampleCounts }] },
    ],
  },
);
export type TrafficSeries = Static<typeof TrafficSeries>;
export type TrafficBucket = TrafficSeries['buckets'][number];

export const TrafficBreakdown = Type.Object(
  {
    ...period,
    by: oneOf(TRAFFIC_DIMENSIONS),
    rows: Type.Array(
      namedObject('TrafficRow', {
        value: nullable(Type.String({ description: `Null: none; as a filter \`${NO_TRAFFIC_VALUE}\`` })),
        ...visitCounts,
      }),
      { description: 'Most visitors first' },
    ),
    rest: namedObject('TrafficRest', {
      rows: Type.Integer({ description: 'Number of further values' }),
    }),
  },
  {
    title: 'TrafficBreakdown',
    examples: [
      {
        ...examplePeriod,
        by: 'page',
        rows: [{ value: '/pricing', visitors: 310, sessions: 355, pageviews: 402, bounceRate: 0.22 }],
        rest: { rows: 17 },
      },
    ],
  },
);
export type TrafficBreakdown = Static<typeof TrafficBreakdown>;
export type TrafficRow = TrafficBreakdown['rows'][number];

export const TrafficLive = Type.Object(
  {
    at: Type.Integer(),
    visitors: Type.Integer({ description: 'Visitors whose browser sent something in the last 5 minutes' }),
    pages: Type.Array(
      namedObject('TrafficLivePage', { page: nullable(Type.String()), visitors: Type.Integer() }),
      { description: 'Visitors by the page they viewed last; at most 10, most visitors first' },
    ),
    countries: Type.Array(
      namedObject('TrafficLiveCountry', { country: nullable(Type.String()), visitors: Type.Integer() }),
      { description: 'At most 10, most visitors first' },
    ),
  },
  {
    title: 'TrafficLive',
    examples: [
      {
        at: 1769817600000,
        visitors: 12,
        pages: [{ page: '/pricing', visitors: 7 }],
        countries: [{ country: 'NL', visitors: 9 }],
      },
    ],
  },
);
export type TrafficLive = Static<typeof TrafficLive>;

const ReceivedTimes = nullable(
  namedObject('ReceivedTimes', {
    first: Type.Integer({ description: 'When the oldest stored one was received' }),
    last: Type.Integer(),
  }),
);

export const TrafficReceived = Type.Object(
  { session: ReceivedTimes, exposure: ReceivedTimes, goal: ReceivedTimes, feedback: ReceivedTimes },
  {
    title: 'TrafficReceived',
    description: 'Null if none is stored',
    examples: [
      {
        session: { first: 1767225600000, last: 1769817600000 },
        exposure: { first: 1767225600500, last: 1769817590000 },
        goal: null,
        feedback: null,
      },
    ],
  },
);
export type TrafficReceived = Static<typeof TrafficReceived>;
