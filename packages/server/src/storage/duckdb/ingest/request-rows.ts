import type {
  AcceptedCollect,
  AcceptedConversion,
  AcceptedExposures,
  AcceptedFeedback,
  AcceptedRequest,
  CollectedEvent,
  JournalEntry,
} from '../../accepted-request.ts';
import { SESSION_EVENT_TYPES } from '../file/duckdb-schema.ts';
import type { KeyHasher, SessionKey } from '../lookup/key-hasher.ts';
import type { TermDictionary } from '../lookup/term-dictionary.ts';
import type { BatchSessions } from './batch-sessions.ts';
import type { ChunkWriter } from './chunk-writer.ts';
import type { LearnedCollect, SessionVisitors } from './session-visitors.ts';

/** One writer per table that a request may add to. */
export type RequestTable = 'exposures' | 'conversions' | 'feedback' | 'session_events' | 'collects';

/** `ordinal` is the journal position of the request times this, plus the place of the event in it (500 at most). */
const EVENTS_PER_REQUEST = 512;

/** Turns accepted requests into rows. The order of the values is the order of the columns in `rekey-sessions.ts`. */
export class RequestRows {
  readonly #writers: Record<RequestTable, ChunkWriter>;
  readonly #tables: Record<AcceptedRequest['kind'], readonly ChunkWriter[]>;
  readonly #terms: TermDictionary;
  readonly #keys: KeyHasher;
  readonly #sessions: BatchSessions;
  readonly #visitors: Pick<SessionVisitors, 'of'>;
  readonly #collects: ReadonlyMap<AcceptedCollect, LearnedCollect>;

  constructor(
    writers: Record<RequestTable, ChunkWriter>,
    terms: TermDictionary,
    keys: KeyHasher,
    sessions: BatchSessions,
    visitors: Pick<SessionVisitors, 'of'>,
    collects: ReadonlyMap<AcceptedCollect, LearnedCollect>,
  ) {
    this.#writers = writers;
    this.#tables = {
      exposures: [writers.exposures],
      conversion: [writers.conversions],
      feedback: [writers.feedback],
      collect: [writers.collects, writers.session_events],
    };
    this.#terms = terms;
    this.#keys = keys;
    this.#sessions = sessions;
    this.#visitors = visitors;
    this.#collects = collects;
  }

  /** Answers with the tables that have grown. */
  add(entry: JournalEntry): readonly ChunkWriter[] {
    const { request, seq } = entry;
    const ordinal = seq * EVENTS_PER_REQUEST;
    if (request.kind === 'exposures') this.#addExposures(request, ordinal);
    else if (request.kind === 'conversion') this.#addConversion(request, ordinal);
    else if (request.kind === 'feedback') this.#addFeedback(request, ordinal);
    else this.#addCollect(request, seq, ordinal);
    return this.#tables[request.kind];
  }

  #addExposures(request: AcceptedExposures, firstOrdinal: number): void {
    let ordinal = firstOrdinal;
    const property = this.#terms.idOf(request.propertyId);
    const receivedAt = BigInt(request.receivedAt);
    let key: SessionKey | undefined;
    let sessionId: string | undefined;
    for (const exposure of request.exposures) {
      // The exposures of a request are nearly always of one session.
      if (!key || exposure.sessionId !== sessionId) {
        sessionId = exposure.sessionId;
        key = this.#keys.sessionKey(request.propertyId, sessionId);
      }
      this.#sessions.note(property, key, sessionId as string, exposure.at);
      this.#writers.exposures.add([
        property,
        key.value,
        this.#terms.idOf(exposure.splitTestKey),
        this.#terms.idOf(exposure.variationKey),
        BigInt(exposure.at),
        receivedAt,
        exposure.attributes ?? null,
        this.#visitors.of(key),
        exposure.phase ?? null,
        exposure.bot === true,
        BigInt(ordinal++),
        bigintOrNull(exposure.clientAt),
      ]);
    }
  }

  #addConversion(request: AcceptedConversion, ordinal: number): void {
    const property = this.#terms.idOf(request.propertyId);
    const key = this.#noteReceipt(property, request);
    this.#writers.conversions.add([
      property,
      key?.value ?? null,
      this.#terms.idOf(request.goalId),
      request.direction,
      BigInt(request.amountMicros),
      BigInt(request.receivedAt),
      request.metadata ?? null,
      key && this.#visitors.of(key),
      BigInt(ordinal),
    ]);
  }

  #addFeedback(request: AcceptedFeedback, ordinal: number): void {
    const property = this.#terms.idOf(request.propertyId);
    this.#writers.feedback.add([
      property,
      this.#noteReceipt(property, request)?.value ?? null,
      request.sessionId ?? null,
      request.id,
      this.#terms.idOf(request.feedbackTypeId),
      request.option ?? null,
      request.message ?? null,
      request.metadata ?? null,
      BigInt(request.receivedAt),
      BigInt(ordinal),
    ]);
  }

  #addCollect(request: AcceptedCollect, seq: number, firstOrdinal: number): void {
    const property = this.#terms.idOf(request.propertyId);
    const { session: key, visitor, change } = this.#collects.get(request) as LearnedCollect;
    let ordinal = firstOrdinal;
    const signs: readonly (CollectedEvent | { type: 'sign'; at: number })[] =
      request.events.length > 0 ? request.events : [{ type: 'sign', at: request.receivedAt }];
    let seenUntil = Number.NEGATIVE_INFINITY;
    for (const sign of signs) {
      seenUntil = Math.max(seenUntil, sign.at);
      this.#sessions.note(property, key, request.sessionId, sign.at);
      this.#writers.session_events.add(sessionEventRow(property, key.value, sign, ordinal++));
    }
    this.#writers.collects.add([
      property,
      key.value,
      BigInt(seq),
      BigInt(request.receivedAt),
      BigInt(seenUntil),
      visitor,
      request.visitorId,
      request.userId === undefined ? null : this.#keys.userKey(request.propertyId, request.userId),
      request.userId ?? null,
      request.attributes ?? null,
      this.#terms.idOf(request.country),
      this.#terms.idOf(request.device),
      this.#terms.idOf(request.browser),
      this.#terms.idOf(request.os),
      change,
    ]);
  }

  #noteReceipt(property: number, request: AcceptedRequest & { sessionId?: string }): SessionKey | null {
    if (request.sessionId === undefined) return null;
    const key = this.#keys.sessionKey(request.propertyId, request.sessionId);
    this.#sessions.note(property, key, request.sessionId, request.receivedAt);
    return key;
  }
}

function sessionEventRow(
  property: number,
  key: bigint,
  sign: CollectedEvent | { type: 'sign'; at: number },
  ordinal: number,
) {
  const event: Partial<CollectedEvent> = sign.type === 'sign' ? {} : sign;
  return [
    property,
    key,
    SESSION_EVENT_TYPES[sign.type],
    BigInt(sign.at),
    event.name ?? null,
    event.url ?? null,
    event.referrer ?? null,
    event.title ?? null,
    event.properties ?? null,
    BigInt(ordinal),
    bigintOrNull(event.clientAt),
  ];
}

const bigintOrNull = (value: number | undefined) => (value === undefined ? null : BigInt(value));
