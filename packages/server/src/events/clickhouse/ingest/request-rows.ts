import {
  type AcceptedCollect,
  type AcceptedConversion,
  type AcceptedExposures,
  type AcceptedFeedback,
  type CollectedEvent,
  type ExpiredView,
  type Exposure,
  isUnitSession,
  type JournalEntry,
  type SessionRemains,
} from '../../store/accepted-request.ts';
import { EVENTS_PER_REQUEST } from '../../store/page.ts';
import type { ColumnValue } from '../connection/clickhouse-client.ts';
import type { SESSION_TABLES } from '../schema/table-columns.ts';

/** The tables that a request adds rows to. */
export type RequestTable = Exclude<(typeof SESSION_TABLES)[number], 'repeated_events' | 'event_ids'>;
export type Row = ColumnValue[];

/** Where a request came from. */
interface Origin {
  source: string;
  seq: number;
  propertyId: string;
  receivedAt: number;
  remains?: readonly SessionRemains[];
}

/** Converts the entries of a source to rows, with values in the order of `COLUMNS`. */
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
    const { remains } = request;
    const origin = { source: this.#source, seq, propertyId, receivedAt, ...(remains && { remains }) };
    if (request.kind === 'exposures') this.#addExposures(origin, request);
    else if (request.kind === 'conversion') this.#addConversion(origin, request);
    else if (request.kind === 'feedback') this.#addFeedback(origin, request);
    else this.#addCollect(origin, request);
  }

  #addExposures(origin: Origin, { exposures }: AcceptedExposures): void {
    const sessions = new Map<string, Exposure[]>();
    for (const [index, it] of exposures.entries()) {
      sessions.set(it.sessionId, [...(sessions.get(it.sessionId) ?? []), it]);
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
    for (const [sessionId, own] of sessions) {
      if (!isUnitSession(sessionId)) this.#addStart(origin, sessionId, own);
    }
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
    if (sessionId !== undefined) this.#addStart(origin, sessionId, [{ at: receivedAt }]);
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
    if (sessionId !== undefined) this.#addStart(origin, sessionId, [{ at: receivedAt }]);
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
      this.#addStart(origin, sessionId, events);
    } else if (!request.expired) {
      this.tables.session_events.push(eventRow(origin, sessionId, { type: 'heartbeat', at: receivedAt }, 0));
      this.#addStart(origin, sessionId, [{ at: receivedAt }]);
    }
  }

  #addStart(origin: Origin, sessionId: string, events: readonly StartingEvent[]): void {
    const remains = origin.remains?.find((it) => it.sessionId === sessionId);
    const times = events.map(({ at }) => at);
    const earliest = times.reduce((min, at) => Math.min(min, at), remains?.startedAt ?? times[0]!);
    const last = times.reduce((max, at) => Math.max(max, at));
    const bot = remains?.bot === true || events.some((it) => it.bot === true);
    const views: PlacedView[] = [];
    if (remains?.entry) views.push({ ...remains.entry, index: 0 });
    if (remains?.exit) views.push({ ...remains.exit, index: 0 });
    for (const [index, it] of events.entries()) if (it.type === 'pageview') views.push({ ...it, index });
    this.tables.session_starts.push([
      ...eventColumns(origin, sessionId, earliest),
      last,
      bot,
      ...viewColumns(origin, views),
    ]);
  }
}

/** What the start of a session depends on. */
type StartingEvent = Pick<CollectedEvent, 'at' | 'url' | 'referrer'> & { type?: string; bot?: true };

type PlacedView = ExpiredView & { index: number };

const NO_VIEW: Row = [false, 0, 0, '', '', 0, 0, ''];

/** Whether there is a page view, and the first and the last one. */
function viewColumns({ seq }: Origin, views: readonly PlacedView[]): Row {
  if (views.length === 0) return NO_VIEW;
  const byTime = views.toSorted((a, b) => a.at - b.at);
  const [first, last] = [byTime[0]!, byTime.at(-1)!];
  const place = ({ at, index, url = '' }: PlacedView): Row => [at, seq * EVENTS_PER_REQUEST + index, url];
  return [true, ...place(first), first.referrer ?? '', ...place(last)];
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
