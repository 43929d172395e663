import { DAY_MS } from '@switchyard/core/time';
import type {
  AcceptedCollect,
  AcceptedRequest,
  CollectedEvent,
  Exposure,
  JournalEntry,
} from '../../../store/accepted-request.ts';
import { withoutNulls } from '../../connection/without-nulls.ts';

/** Event ids are guaranteed for a day: an idempotency key that is used again later belongs to another event. */
const EVENT_ID_MS = 2 * DAY_MS;

/** The values of a row, besides those that all have. */
export const EXPORTED_COLUMNS = {
  exposures: ['split_test', 'variation', 'phase', 'bot', 'attributes', 'client_at'],
  conversions: ['goal', 'has_session', 'event_id', 'direction', 'amount_micros', 'metadata'],
  feedback: ['feedback_id', 'feedback_type', 'has_session', 'option', 'message', 'metadata'],
  collects: ['visitor_id', 'user_id', 'attributes', 'country', 'device', 'browser', 'os'],
  session_events: ['toString(type)', 'name', 'url', 'referrer', 'title', 'properties', 'client_at'],
} as const;

export type ExportedTable = keyof typeof EXPORTED_COLUMNS;

/** 64-bit integers are text. */
export type ExportedRow = [
  table: ExportedTable,
  seq: string,
  propertyId: string,
  sessionId: string,
  happenedAt: string,
  receivedAt: string,
  /** JSON array. */
  data: string,
];

type Text = string | null;

/** Puts requests together from their rows, which are in order. */
export function requestsOf(rows: readonly ExportedRow[]): JournalEntry[] {
  const requests = new Map<number, ExportedRow[]>();
  for (const row of rows) {
    const own = requests.get(Number(row[1]));
    if (own === undefined) requests.set(Number(row[1]), [row]);
    else own.push(row);
  }
  return [...requests]
    .flatMap(([seq, own]) => {
      const request = requestOf(own);
      return request === undefined ? [] : [{ seq, request }];
    })
    .sort((a, b) => a.seq - b.seq);
}

function requestOf(rows: readonly ExportedRow[]): AcceptedRequest | undefined {
  const main = rows.find(([table]) => table !== 'session_events');
  if (main === undefined) return undefined;
  const [table, , propertyId, sessionId, , received, data] = main;
  const receivedAt = Number(received);
  const base = { propertyId, receivedAt };
  if (table === 'exposures') return { kind: 'exposures', ...base, exposures: rows.map(exposureOf) };
  if (table === 'conversions') {
    const [goalId, hasSession, eventId, direction, amount, metadata] = JSON.parse(data) as [
      ...[string, boolean, string, number, string, Text],
    ];
    return {
      kind: 'conversion',
      ...base,
      goalId,
      direction: direction === 1 ? 1 : -1,
      amountMicros: Number(amount),
      ...(hasSession && { sessionId }),
      ...withoutNulls({ metadata }),
      ...(eventId !== '' && receivedAt > Date.now() - EVENT_ID_MS && { eventId }),
    };
  }
  if (table === 'feedback') {
    const [id, feedbackTypeId, hasSession, option, message, metadata] = JSON.parse(data) as [
      ...[string, string, boolean, Text, Text, Text],
    ];
    return {
      kind: 'feedback',
      ...base,
      id,
      feedbackTypeId,
      ...(hasSession && { sessionId }),
      ...withoutNulls({ option, message, metadata }),
    };
  }
  return collectOf(main, rows);
}

function exposureOf([, , , sessionId, at, , data]: ExportedRow): Exposure {
  const [splitTestKey, variationKey, phase, bot, attributes, clientAt] = JSON.parse(data) as [
    ...[string, string, Text, boolean, Text, Text],
  ];
  return {
    splitTestKey,
    variationKey,
    sessionId,
    at: Number(at),
    ...(clientAt !== null && { clientAt: Number(clientAt) }),
    ...(phase !== null && { phase: Number(phase) }),
    ...(bot && { bot: true }),
    ...withoutNulls({ attributes }),
  };
}

function collectOf(main: ExportedRow, rows: readonly ExportedRow[]): AcceptedCollect {
  const [, , propertyId, sessionId, , receivedAt, data] = main;
  const [visitorId, userId, attributes, country, device, browser, os] = JSON.parse(data) as [
    ...[string, Text, Text, string, string, string, string],
  ];
  const own = rows.filter((row) => row !== main);
  return {
    kind: 'collect',
    propertyId,
    receivedAt: Number(receivedAt),
    sessionId,
    visitorId,
    ...withoutNulls({ userId, attributes, country: country || null }),
    device,
    browser,
    os,
    events: own.flatMap((row) => eventOf(row) ?? []),
    ...(own.length === 0 && { expired: true }),
  };
}

/** Undefined for a heartbeat. */
function eventOf([, , , , at, , data]: ExportedRow): CollectedEvent | undefined {
  const [type, name, url, referrer, title, properties, clientAt] = JSON.parse(data) as [
    ...[string, Text, Text, Text, Text, Text, Text],
  ];
  if (type === 'heartbeat') return undefined;
  return {
    type: type as CollectedEvent['type'],
    at: Number(at),
    ...(clientAt !== null && { clientAt: Number(clientAt) }),
    ...withoutNulls({ name, url, referrer, title, properties }),
  };
}
