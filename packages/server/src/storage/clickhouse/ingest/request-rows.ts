import type {
  AcceptedCollect,
  AcceptedConversion,
  AcceptedExposures,
  AcceptedFeedback,
  CollectedEvent,
  JournalEntry,
} from '../../accepted-request.ts';
import { EVENTS_PER_REQUEST } from '../../event-store.ts';
import type { ColumnValue } from '../client/clickhouse-client.ts';

const EVENT = ['source', 'seq', 'ordinal', 'property', 'session_id', 'happened_at', 'received_at'] as const;

/** The tables that a batch adds rows to, with their columns. */
export const REQUEST_COLUMNS = {
  exposures: [...EVENT, 'split_test', 'variation', 'phase', 'bot', 'attributes', 'client_at'],
  conversions: [...EVENT, 'goal', 'has_session', 'event_id', 'direction', 'amount_micros', 'metadata'],
  feedback: [...EVENT, 'feedback_id', 'feedback_type', 'has_session', 'option', 'message', 'metadata'],
  session_events: [...EVENT, 'type', 'name', 'url', 'referrer', 'title', 'properties', 'client_at'],
  collects: [...EVENT, 'visitor_id', 'user_id', 'attributes', 'country', 'device', 'browser', 'os'],
  session_starts: [...EVENT, 'last_at'],
  repeated_events: EVENT,
  event_ids: [...EVENT, 'event_id'],
} as const;

export type RequestTable = Exclude<keyof typeof REQUEST_COLUMNS, 'repeated_events' | 'event_ids'>;
export type Row = ColumnValue[];

/** Where a request came from. */
interface Origin {
  source: string;
  seq: number;
  propertyId: string;
  receivedAt: number;
}

/** Converts the entries of a source to rows, with values in the order of `REQUEST_COLUMNS`. */
export class RequestRows {
  readonly tables: Readonly<Record<RequestTable, Row[]>> = {
    exposures: [],
    conversions: [],
    feedback: [],
    session_events: [],
    collects: [],
    session_starts: [],
  };
  readonly #source: string;

  constructor(source: string, entries: readonly JournalEntry[]) {
    this.#source = source;
    for (const entry of entries) this.#add(entry);
  }

  #add({ seq, request }: JournalEntry): void {
    const { propertyId, receivedAt } = request;
    const origin = { source: this.#source, seq, propertyId, receivedAt };
    if (request.kind === 'exposures') this.#addExposures(origin, request);
    else if (request.kind === 'conversion') this.#addConversion(origin, request);
    else if (request.kind === 'feedback') this.#addFeedback(origin, request);
    else this.#addCollect(origin, request);
  }

  #addExposures(origin: Origin, { exposures }: AcceptedExposures): void {
    const times = new Map<string, number[]>();
    for (const [index, it] of exposures.entries()) {
      times.set(it.sessionId, [...(times.get(it.sessionId) ?? []), it.at]);
      this.tables.exposures.push([
        ...eventColumns(origin, it.sessionId, it.at, index),
        it.splitTestKey,
        it.variationKey,
        it.phase ?? null,
        it.bot === true,
        it.attributes ?? null,
        it.clientAt ?? null,
      ]);
    }
    for (const [sessionId, all] of times) this.#addStart(origin, sessionId, all);
  }

  #addConversion(origin: Origin, request: AcceptedConversion): void {
    const { sessionId, receivedAt } = request;
    this.tables.conversions.push([
      ...eventColumns(origin, sessionId ?? '', receivedAt),
      request.goalId,
      sessionId !== undefined,
      request.eventId ?? '',
      request.direction,
      request.amountMicros,
      request.metadata ?? null,
    ]);
    if (sessionId !== undefined) this.#addStart(origin, sessionId, [receivedAt]);
  }

  #addFeedback(origin: Origin, request: AcceptedFeedback): void {
    const { sessionId, receivedAt } = request;
    this.tables.feedback.push([
      ...eventColumns(origin, sessionId ?? '', receivedAt),
      request.id,
      request.feedbackTypeId,
      sessionId !== undefined,
      request.option ?? null,
      request.message ?? null,
      request.metadata ?? null,
    ]);
    if (sessionId !== undefined) this.#addStart(origin, sessionId, [receivedAt]);
  }

  #addCollect(origin: Origin, request: AcceptedCollect): void {
    const { sessionId, receivedAt, events } = request;
    this.tables.collects.push([
      ...eventColumns(origin, sessionId, receivedAt),
      request.visitorId,
      request.userId ?? null,
      request.attributes ?? null,
      request.country ?? '',
      request.device,
      request.browser,
      request.os,
    ]);
    for (const [index, it] of events.entries()) {
      this.tables.session_events.push(eventRow(origin, sessionId, it, index));
    }
    if (events.length > 0) {
      const times = events.map(({ at }) => at);
      this.#addStart(origin, sessionId, times);
    } else if (!request.expired) {
      this.tables.session_events.push(eventRow(origin, sessionId, { type: 'heartbeat', at: receivedAt }, 0));
      this.#addStart(origin, sessionId, [receivedAt]);
    }
  }

  #addStart(origin: Origin, sessionId: string, times: readonly number[]): void {
    const earliest = times.reduce((min, at) => Math.min(min, at));
    const last = times.reduce((max, at) => Math.max(max, at));
    this.tables.session_starts.push([...eventColumns(origin, sessionId, earliest), last]);
  }
}

function eventColumns(
  { source, seq, propertyId, receivedAt }: Origin,
  sessionId: string,
  at: number,
  index = 0,
): Row {
  return [source, seq, seq * EVENTS_PER_REQUEST + index, propertyId, sessionId, at, receivedAt];
}

type StoredEvent = Omit<CollectedEvent, 'type'> & { type: CollectedEvent['type'] | 'heartbeat' };

function eventRow(origin: Origin, sessionId: string, event: StoredEvent, index: number): Row {
  const { type, at, name, url, referrer, title, properties, clientAt } = event;
  const texts = [name, url, referrer, title, properties].map((text) => text ?? null);
  return [...eventColumns(origin, sessionId, at, index), type, ...texts, clientAt ?? null];
}
