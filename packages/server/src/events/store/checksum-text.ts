export type EventKind = 'exposures' | 'conversion' | 'feedback' | 'collect' | 'session_event';

/** What is stored of one property, kind and day. */
export interface EventChecksum {
  propertyId: string;
  kind: EventKind;
  /** Midnight UTC of the day of the events, Unix milliseconds. */
  day: number;
  count: number;
  /** Decimal digits. */
  checksum: string;
}

/**
 * The canonical text of a stored event. `EventStore.checksums` compares stores with it, so every engine must produce
 * exactly the same bytes, in SQL:
 *
 * - The text is the values of the fields below, in this order, joined with U+001F. It does not contain the property,
 *   the source, the position or the event id.
 * - A missing value is `-`. Any other value is `+` followed by its text: numbers in decimal digits, `bot` as `1` if it
 *   is set and else missing, all other texts as they were appended, JSON included. Conversions and feedback happened
 *   when they were received.
 * - A collect without events is one row of the kind `collect`, and no row of the kind `session_event`.
 * - The value of a row is the last 8 bytes of the MD5 of its text in UTF-8, read as a little-endian integer. The
 *   checksum is the sum of the values of all rows, without a limit, in decimal digits. The sum for
 *   `+abc` alone is 14047068179475400831, for example.
 * - The day of a row is `dayOf` rounded down to midnight UTC.
 */
export const CHECKSUM_FIELDS = {
  exposures: {
    dayOf: 'at',
    fields: [
      'sessionId',
      'splitTestKey',
      'variationKey',
      'at',
      'receivedAt',
      'clientAt',
      'phase',
      'bot',
      'attributes',
    ],
  },
  conversion: {
    dayOf: 'receivedAt',
    fields: ['sessionId', 'goalId', 'direction', 'amountMicros', 'receivedAt', 'metadata'],
  },
  feedback: {
    dayOf: 'receivedAt',
    fields: ['id', 'feedbackTypeId', 'sessionId', 'option', 'message', 'metadata', 'receivedAt'],
  },
  collect: {
    dayOf: 'receivedAt',
    fields: [
      'sessionId',
      'visitorId',
      'userId',
      'attributes',
      'country',
      'device',
      'browser',
      'os',
      'receivedAt',
    ],
  },
  session_event: {
    dayOf: 'at',
    fields: ['sessionId', 'type', 'at', 'clientAt', 'name', 'url', 'referrer', 'title', 'properties'],
  },
} as const;

/** Joins the values of a checksum text. */
export const CHECKSUM_SEPARATOR = '\u001F';
