import { DAY_MS } from '@switchyard/core/time';
import type {
  AcceptedConversion,
  AcceptedFeedback,
  CollectedEvent,
  Exposure,
  JournalEntry,
} from '../../../store/accepted-request.ts';
import type { TermDictionary } from '../../ingest/lookup/term-dictionary.ts';
import { eventIdOf } from '../../ingest/stored-events.ts';
import { SESSION_EVENT_TYPES } from '../../schema/duckdb-schema.ts';

/** Event ids are guaranteed for a day: an idempotency key that is used again later belongs to another event. */
const EVENT_ID_MS = 2 * DAY_MS;

const TYPE_NAMES = ['pageview', 'event', 'identify'] as const;

type Texts<Name extends string> = Record<Name, string | null>;

/** A row of a table, with the position of its request. */
type StoredRow = { property: number; seq: bigint } & Texts<'session_id'>;

export type ExposureRow = StoredRow &
  Record<'split_test' | 'variation', number> &
  Record<'happened_at' | 'received_at', bigint> &
  Texts<'attributes'> & { phase: number | null; bot: boolean | null; client_at: bigint | null };

export type ConversionRow = StoredRow &
  Record<'goal' | 'direction', number> &
  Record<'happened_at' | 'amount_micros', bigint> &
  Texts<'metadata'> & { event_id: bigint | null };

export type FeedbackRow = StoredRow & {
  happened_at: bigint;
  feedback_type: number;
  feedback_id: string;
} & Texts<'option' | 'message' | 'metadata'>;

export type CollectRow = StoredRow & { received_at: bigint; visitor_id: string } & Record<
    'country' | 'device' | 'browser' | 'os',
    number
  > &
  Texts<'user_id' | 'attributes'>;

export type EventRow = StoredRow & { type: number; happened_at: bigint; client_at: bigint | null } & Texts<
    'name' | 'url' | 'referrer' | 'title' | 'properties'
  >;

export interface ExportedRows {
  exposures: ExposureRow[];
  conversions: ConversionRow[];
  feedback: FeedbackRow[];
  collects: CollectRow[];
  session_events: EventRow[];
}

/** Puts requests together from their rows, which are in order. */
export class ExportedRequests {
  readonly #terms: TermDictionary;

  constructor(terms: TermDictionary) {
    this.#terms = terms;
  }

  entries(rows: ExportedRows): JournalEntry[] {
    return [
      ...this.#exposures(rows.exposures),
      ...rows.conversions.map((row) => this.#conversion(row)),
      ...rows.feedback.map((row) => this.#feedback(row)),
      ...this.#collects(rows.collects, rows.session_events),
    ].sort((a, b) => a.seq - b.seq);
  }

  #exposures(rows: readonly ExposureRow[]): JournalEntry[] {
    return [...bySeq(rows)].map(([seq, own]) => {
      const { property, received_at: receivedAt } = own[0]!;
      return {
        seq,
        request: {
          kind: 'exposures',
          propertyId: this.#text(property),
          receivedAt: Number(receivedAt),
          exposures: own.map((row) => this.#exposure(row)),
        },
      };
    });
  }

  #exposure(row: ExposureRow): Exposure {
    return {
      splitTestKey: this.#text(row.split_test),
      variationKey: this.#text(row.variation),
      sessionId: row.session_id ?? '',
      at: Number(row.happened_at),
      ...(row.client_at !== null && { clientAt: Number(row.client_at) }),
      ...(row.phase !== null && { phase: row.phase }),
      ...(row.bot && { bot: true }),
      ...withoutNulls({ attributes: row.attributes }),
    };
  }

  #conversion(row: ConversionRow): JournalEntry {
    const receivedAt = Number(row.happened_at);
    const hasId = row.event_id !== null && receivedAt > Date.now() - EVENT_ID_MS;
    const request: AcceptedConversion = {
      kind: 'conversion',
      propertyId: this.#text(row.property),
      receivedAt,
      goalId: this.#text(row.goal),
      direction: row.direction === 1 ? 1 : -1,
      amountMicros: Number(row.amount_micros),
      ...withoutNulls({ sessionId: row.session_id, metadata: row.metadata }),
      ...(hasId && { eventId: eventIdOf(row.event_id!) }),
    };
    return { seq: Number(row.seq), request };
  }

  #feedback(row: FeedbackRow): JournalEntry {
    const { option, message, metadata } = row;
    const request: AcceptedFeedback = {
      kind: 'feedback',
      propertyId: this.#text(row.property),
      receivedAt: Number(row.happened_at),
      id: row.feedback_id,
      feedbackTypeId: this.#text(row.feedback_type),
      ...withoutNulls({ sessionId: row.session_id, option, message, metadata }),
    };
    return { seq: Number(row.seq), request };
  }

  #collects(rows: readonly CollectRow[], eventRows: readonly EventRow[]): JournalEntry[] {
    const eventsOf = bySeq(eventRows);
    return rows.map((row) => {
      const seq = Number(row.seq);
      const own = eventsOf.get(seq) ?? [];
      const events = own.filter(({ type }) => type !== SESSION_EVENT_TYPES.heartbeat);
      const { country, device, browser, os } = row;
      return {
        seq,
        request: {
          kind: 'collect',
          propertyId: this.#text(row.property),
          receivedAt: Number(row.received_at),
          sessionId: row.session_id ?? '',
          visitorId: row.visitor_id,
          ...withoutNulls({ userId: row.user_id, attributes: row.attributes }),
          ...withoutNulls({ country: this.#terms.textOf(country) }),
          device: this.#text(device),
          browser: this.#text(browser),
          os: this.#text(os),
          events: events.map(eventOf),
          ...(own.length === 0 && { expired: true }),
        },
      };
    });
  }

  #text(term: number): string {
    return this.#terms.textOf(term) ?? '';
  }
}

function eventOf(row: EventRow): CollectedEvent {
  const { name, url, referrer, title, properties } = row;
  return {
    type: TYPE_NAMES[row.type]!,
    at: Number(row.happened_at),
    ...(row.client_at !== null && { clientAt: Number(row.client_at) }),
    ...withoutNulls({ name, url, referrer, title, properties }),
  };
}

function bySeq<T extends StoredRow>(rows: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const seq = Number(row.seq);
    const group = groups.get(seq);
    if (group === undefined) groups.set(seq, [row]);
    else group.push(row);
  }
  return groups;
}

function withoutNulls<Name extends string>(texts: Texts<Name>): Partial<Record<Name, string>> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)) as Partial<
    Record<Name, string>
  >;
}
