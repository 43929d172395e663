/** A table of the schema. */
export interface TableDefinition {
  columns: readonly string[];
  /** Skip indexes and projections. */
  indexes?: readonly string[];
  engine?: string;
  partitionBy?: string;
  orderBy: string;
  /** When rows are deleted; whole files at once, so it should follow the partition. */
  ttl?: string;
  /** Which shard of a cluster has a row. */
  shardBy: string;
}

/** Columns of every row about a session: where it came from, whose it is, and when. */
const EVENT_COLUMNS = [
  // The journal that it arrived through, and its position there; `ordinal` is unique in a source.
  'source LowCardinality(String)',
  'seq UInt64 CODEC(Delta, ZSTD)',
  'ordinal UInt64 CODEC(Delta, ZSTD)',
  'property LowCardinality(String)',
  'session_id String CODEC(ZSTD)',
  'happened_at Int64 CODEC(Delta, ZSTD)',
  'received_at Int64 CODEC(Delta, ZSTD)',
];

const text = (name: string) => `${name} Nullable(String) CODEC(ZSTD)`;
const term = (name: string) => `${name} LowCardinality(String)`;

/** Columns of `session_starts`. */
export const SESSION_MARKS = [
  'bot Bool',
  'has_view Bool',
  'entry_at Int64 CODEC(Delta, ZSTD)',
  'entry_ordinal UInt64 CODEC(Delta, ZSTD)',
  'entry_url String CODEC(ZSTD)',
  'entry_referrer String CODEC(ZSTD)',
  'exit_at Int64 CODEC(Delta, ZSTD)',
  'exit_ordinal UInt64 CODEC(Delta, ZSTD)',
  'exit_url String CODEC(ZSTD)',
] as const;

const BY_MONTH = 'toYYYYMM(fromUnixTimestamp64Milli(happened_at))';
/** Rows of a session are on one shard, so that joins by session need no network. */
const BY_SESSION = 'cityHash64(property, session_id)';
/** For tables that are sorted by something else than the session. */
const FIND_SESSION = 'INDEX of_session session_id TYPE bloom_filter(0.01) GRANULARITY 1';
const event = { partitionBy: BY_MONTH, shardBy: BY_SESSION };

/**
 * Times are Unix milliseconds, money is micro-dollars. Texts are stored as they are; an empty `country`, `device`,
 * `browser` or `os` means none.
 *
 * `has_session` is false for conversions and feedback without a session, whose `session_id` is empty. A conversion that
 * arrived through several journals has the same `event_id` in each, and feedback the same `feedback_id`; rows that do not
 * count are in `repeated_events`. `event_id` is empty for conversions that arrive only once.
 */
export const TABLES = {
  exposures: {
    ...event,
    columns: [
      ...EVENT_COLUMNS,
      ...[term('split_test'), term('variation'), 'phase Nullable(Int64)', 'bot Bool'],
      ...[text('attributes'), 'client_at Nullable(Int64)'],
    ],
    indexes: [FIND_SESSION],
    orderBy: '(property, split_test, session_id, happened_at)',
  },
  conversions: {
    ...event,
    columns: [
      ...EVENT_COLUMNS,
      ...[term('goal'), 'has_session Bool', 'event_id String', 'direction Int8'],
      ...['amount_micros Int64 CODEC(ZSTD)', text('metadata')],
    ],
    indexes: [FIND_SESSION],
    orderBy: '(property, goal, happened_at, session_id)',
  },
  feedback: {
    ...event,
    columns: [
      ...EVENT_COLUMNS,
      ...['feedback_id String', term('feedback_type'), 'has_session Bool'],
      ...['option LowCardinality(Nullable(String))', text('message'), text('metadata')],
    ],
    indexes: [FIND_SESSION, 'INDEX of_id feedback_id TYPE bloom_filter(0.01) GRANULARITY 1'],
    orderBy: '(property, happened_at, feedback_id)',
  },
  // What a collect contains; one without events has a row of the type `heartbeat`.
  session_events: {
    ...event,
    columns: [
      ...EVENT_COLUMNS,
      "type Enum8('pageview' = 0, 'event' = 1, 'identify' = 2, 'heartbeat' = 3)",
      ...[text('name'), text('url'), text('referrer'), text('title'), text('properties')],
      'client_at Nullable(Int64)',
    ],
    orderBy: '(property, session_id, happened_at)',
  },
  // One row per request; it happened when it was received.
  collects: {
    ...event,
    columns: [
      ...EVENT_COLUMNS,
      ...['visitor_id String CODEC(ZSTD)', text('user_id'), text('attributes')],
      ...[term('country'), term('device'), term('browser'), term('os')],
    ],
    indexes: [
      'INDEX of_visitor visitor_id TYPE bloom_filter(0.01) GRANULARITY 1',
      'INDEX of_user user_id TYPE bloom_filter(0.01) GRANULARITY 1',
      // Other nodes ask every second what is new.
      'PROJECTION arrivals (SELECT property, session_id, source, seq ORDER BY source, seq)',
    ],
    orderBy: '(property, session_id, received_at)',
  },
  // One row per request and session: the times of its earliest and its latest event in the session. The start of a
  // session is the earliest of all its rows. They also have what figures depend on after events have expired, and are
  // kept until the last event of the session has: whether a crawler sent an exposure, and the first and the last page
  // view, if `has_view`. An empty URL or referrer means none.
  session_starts: {
    ...event,
    columns: [...EVENT_COLUMNS, 'last_at Int64 CODEC(Delta, ZSTD)', ...SESSION_MARKS],
    orderBy: '(property, session_id, happened_at)',
  },
  // Rows of `conversions` and `feedback` that do not count, because the event has arrived through another journal too.
  repeated_events: {
    ...event,
    columns: EVENT_COLUMNS,
    engine: 'ReplacingMergeTree',
    orderBy: '(property, source, ordinal)',
  },
  // Rows of `conversions` and `feedback` with an id, of the last days: finds those of a batch without reading all events.
  event_ids: {
    columns: [...EVENT_COLUMNS, 'event_id String', 'stored_at DateTime DEFAULT now()'],
    engine: 'ReplacingMergeTree',
    partitionBy: 'toYYYYMMDD(stored_at)',
    orderBy: '(property, event_id, source, ordinal)',
    ttl: 'stored_at + INTERVAL 2 DAY',
    shardBy: 'cityHash64(property, event_id)',
  },
  // The position of the last stored entry of each source.
  watermarks: {
    columns: ['source String', 'seq UInt64', 'stored_at DateTime64(3) DEFAULT now64(3)'],
    engine: 'ReplacingMergeTree(seq)',
    orderBy: 'source',
    shardBy: 'cityHash64(source)',
  },
  // Days for which the events of a property are kept; the latest row counts.
  retentions: {
    columns: ['property String', 'days UInt32', 'changed_at DateTime64(3) DEFAULT now64(3)'],
    engine: 'ReplacingMergeTree(changed_at)',
    orderBy: 'property',
    shardBy: 'cityHash64(property)',
  },
  schema_versions: {
    columns: ['version UInt32', 'applied_at DateTime64(3) DEFAULT now64(3)'],
    engine: 'ReplacingMergeTree',
    orderBy: 'version',
    shardBy: '0',
  },
} as const satisfies Record<string, TableDefinition>;

export type TableName = keyof typeof TABLES;

/** Tables with events; those without a session have it too. */
export const EVENT_TABLES = ['exposures', 'conversions', 'feedback', 'session_events'] as const;

/**
 * Tables with data of sessions, in the order in which rows are deleted. Collects are last: what belongs to a visitor is
 * found through them.
 */
export const SESSION_TABLES = [
  ...EVENT_TABLES,
  'repeated_events',
  'event_ids',
  'session_starts',
  'collects',
] as const;
