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
import { type SessionVisitors, VISITOR_CHANGE, type VisitorChange } from './session-visitors.ts';

/** One writer per table that a request may add to. */
export type RequestTable = 'exposures' | 'conversions' | 'feedback' | 'session_events' | 'collects';

/** Turns accepted requests into rows. The order of the values is the order of the columns in `duckdb-schema.ts`. */
export class RequestRows {
  readonly #writers: Record<RequestTable, ChunkWriter>;
  readonly #tables: Record<AcceptedRequest['kind'], readonly ChunkWriter[]>;
  readonly #terms: TermDictionary;
  readonly #keys: KeyHasher;
  readonly #sessions: BatchSessions;
  readonly #visitors: Pick<SessionVisitors, 'of'>;
  readonly #visitorChanges: ReadonlyMap<AcceptedCollect, VisitorChange>;

  constructor(
    writers: Record<RequestTable, ChunkWriter>,
    terms: TermDictionary,
    keys: KeyHasher,
    sessions: BatchSessions,
    visitors: Pick<SessionVisitors, 'of'>,
    visitorChanges: ReadonlyMap<AcceptedCollect, VisitorChange>,
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
    this.#visitorChanges = visitorChanges;
  }

  /** Answers with the tables that have grown. */
  add(entry: JournalEntry): readonly ChunkWriter[] {
    const { request } = entry;
    if (request.kind === 'exposures') this.#addExposures(request);
    else if (request.kind === 'conversion') this.#addConversion(request);
    else if (request.kind === 'feedback') this.#addFeedback(request);
    else this.#addCollect(request, entry.seq);
    return this.#tables[request.kind];
  }

  #addExposures(request: AcceptedExposures): void {
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
      ]);
    }
  }

  #addConversion(request: AcceptedConversion): void {
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
    ]);
  }

  #addFeedback(request: AcceptedFeedback): void {
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
    ]);
  }

  #addCollect(request: AcceptedCollect, seq: number): void {
    const property = this.#terms.idOf(request.propertyId);
    const key = this.#keys.sessionKey(request.propertyId, request.sessionId);
    const signs: readonly (CollectedEvent | { type: 'sign'; at: number })[] =
      request.events.length > 0 ? request.events : [{ type: 'sign', at: request.receivedAt }];
    let seenUntil = Number.NEGATIVE_INFINITY;
    for (const sign of signs) {
      seenUntil = Math.max(seenUntil, sign.at);
      this.#sessions.note(property, key, request.sessionId, sign.at);
      this.#writers.session_events.add(sessionEventRow(property, key.value, sign));
    }
    this.#writers.collects.add([
      property,
      key.value,
      BigInt(seq),
      BigInt(request.receivedAt),
      BigInt(seenUntil),
      this.#keys.visitorKey(request.propertyId, request.visitorId),
      request.visitorId,
      request.userId === undefined ? null : this.#keys.userKey(request.propertyId, request.userId),
      request.userId ?? null,
      request.attributes ?? null,
      this.#terms.idOf(request.country),
      this.#terms.idOf(request.device),
      this.#terms.idOf(request.browser),
      this.#terms.idOf(request.os),
      this.#visitorChanges.get(request) ?? VISITOR_CHANGE.other,
    ]);
  }

  #noteReceipt(property: number, request: AcceptedRequest & { sessionId?: string }): SessionKey | null {
    if (request.sessionId === undefined) return null;
    const key = this.#keys.sessionKey(request.propertyId, request.sessionId);
    this.#sessions.note(property, key, request.sessionId, request.receivedAt);
    return key;
  }
}

function sessionEventRow(property: number, key: bigint, sign: CollectedEvent | { type: 'sign'; at: number }) {
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
  ];
}
