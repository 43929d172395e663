/** Columns of every row about a session: where it came from, whose it is, and when. */
const EVENT = [
  // The journal that it arrived through, and its position there; `ordinal` is unique in a source.
  'source',
  'seq',
  'ordinal',
  'property',
  'session_id',
  'happened_at',
  'received_at',
] as const;

/**
 * The tables, and their columns, except those that the server fills in: when a row was stored. The migrations define
 * them; rows of a session are on one shard, so that joins by session need no network.
 *
 * Times are Unix milliseconds, money is micro-dollars. Texts are stored as they are; an empty `country`, `device`,
 * `browser` or `os` means none.
 *
 * `has_session` is false for conversions and feedback without a session, whose `session_id` is empty. A conversion that
 * arrived through several journals has the same `event_id` in each, and feedback the same `feedback_id`; rows that do not
 * count are in `repeated_events`. `event_id` is empty for conversions that arrive only once.
 */
export const COLUMNS = {
  exposures: [...EVENT, 'split_test', 'variation', 'phase', 'bot', 'attributes', 'client_at'],
  conversions: [...EVENT, 'goal', 'has_session', 'event_id', 'direction', 'amount_micros', 'metadata'],
  feedback: [...EVENT, 'feedback_id', 'feedback_type', 'has_session', 'option', 'message', 'metadata'],
  // What a collect contains; one without events has a row of the type `heartbeat`.
  session_events: [...EVENT, 'type', 'name', 'url', 'referrer', 'title', 'properties', 'client_at'],
  // One row per request; it happened when it was received. Other nodes ask its projection every second what is new.
  collects: [...EVENT, 'visitor_id', 'user_id', 'attributes', 'country', 'device', 'browser', 'os'],
  // One row per request and session: the times of its earliest and its latest event in the session. The start of a
  // session is the earliest of all its rows. They also have what figures depend on after events have expired, and are
  // kept until the last event of the session has: whether a crawler sent an exposure, and the first and the last page
  // view, if `has_view`. An empty URL or referrer means none.
  session_starts: [
    ...EVENT,
    'last_at',
    'bot',
    'has_view',
    'entry_at',
    'entry_ordinal',
    'entry_url',
    'entry_referrer',
    'exit_at',
    'exit_ordinal',
    'exit_url',
  ],
  // Rows of `conversions` and `feedback` that do not count, because the event has arrived through another journal too.
  repeated_events: EVENT,
  // Rows of `conversions` and `feedback` with an id, of the last days: finds those of a batch without reading all events.
  event_ids: [...EVENT, 'event_id'],
  // The position of the last stored entry of each source.
  watermarks: ['source', 'seq'],
  // Days for which the events of a property are kept; the latest row counts.
  retentions: ['property', 'days'],
  schema_versions: ['version'],
} as const;

export type TableName = keyof typeof COLUMNS;

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
