import type {
  AcceptedCollect,
  AcceptedConversion,
  AcceptedExposures,
  AcceptedFeedback,
  AcceptedRequest,
  CollectedEvent,
  JournalEntry,
} from '../../store/accepted-request.ts';
import { SESSION_EVENT_TYPES } from '../schema/duckdb-schema.ts';
import type { BatchSession, BatchSessions } from './batch-sessions.ts';
import type { ChunkWriter } from './chunk-writer.ts';
import { collectedEvents, type Heartbeat } from './collected-events.ts';
import type { KeyHasher } from './lookup/key-hasher.ts';
import type { TermDictionary } from './lookup/term-dictionary.ts';
import type { CollectKeys, SessionVisitors } from './session-visitors.ts';
import { eventKeyOf } from './stored-events.ts';

/** Tables that requests add rows to. */
export type RequestTable = 'exposures' | 'conversions' | 'feedback' | 'session_events' | 'collects';

export interface BatchContext {
  terms: TermDictionary;
  keys: KeyHasher;
  visitors: Pick<SessionVisitors, 'get'>;
  sessions: BatchSessions;
  collects: ReadonlyMap<AcceptedCollect, CollectKeys>;
  /** Id of the source. */
  source: number;
}

/** A time that is after the start of every session. */
const ALWAYS = 2n ** 62n;

/** Converts accepted requests to rows, with values in the order of the columns in `duckdb-schema.ts`. */
export class RequestRows {
  readonly #writers: Record<RequestTable, ChunkWriter>;
  readonly #tables: Record<AcceptedRequest['kind'], readonly ChunkWriter[]>;
  readonly #terms: TermDictionary;
  readonly #keys: KeyHasher;
  readonly #sessions: BatchSessions;
  readonly #visitors: Pick<SessionVisitors, 'get'>;
  readonly #collects: ReadonlyMap<AcceptedCollect, CollectKeys>;
  readonly #source: number;

  constructor(writers: Record<RequestTable, ChunkWriter>, batch: BatchContext) {
    this.#writers = writers;
    this.#tables = {
      exposures: [writers.exposures],
      conversion: [writers.conversions],
      feedback: [writers.feedback],
      collect: [writers.collects, writers.session_events],
    };
    this.#terms = batch.terms;
    this.#keys = batch.keys;
    this.#sessions = batch.sessions;
    this.#visitors = batch.visitors;
    this.#collects = batch.collects;
    this.#source = batch.source;
  }

  /** Returns the writers that rows were added to. */
  add(entry: JournalEntry): readonly ChunkWriter[] {
    const { request } = entry;
    const seq = BigInt(entry.seq);
    if (request.kind === 'exposures') this.#addExposures(request, seq);
    else if (request.kind === 'conversion') this.#addConversion(request, seq);
    else if (request.kind === 'feedback') this.#addFeedback(request, seq);
    else this.#addCollect(request, seq);
    return this.#tables[request.kind];
  }

  #addExposures(request: AcceptedExposures, seq: bigint): void {
    const property = this.#terms.idOf(request.propertyId);
    const receivedAt = BigInt(request.receivedAt);
    const sessions = this.#sessions.of(request);
    for (const [index, exposure] of request.exposures.entries()) {
      const { key, hash } = sessions[index] as BatchSession;
      this.#writers.exposures.add([
        property,
        key,
        this.#terms.idOf(exposure.splitTestKey),
        this.#terms.idOf(exposure.variationKey),
        BigInt(exposure.at),
        receivedAt,
        exposure.attributes ?? null,
        this.#visitors.get(hash),
        exposure.phase ?? null,
        exposure.bot === true,
        seq,
        bigintOrNull(exposure.clientAt),
        this.#source,
        index,
      ]);
    }
  }

  #addConversion(request: AcceptedConversion, seq: bigint): void {
    const property = this.#terms.idOf(request.propertyId);
    const [session] = this.#sessions.of(request);
    this.#writers.conversions.add([
      property,
      session?.key ?? null,
      this.#terms.idOf(request.goalId),
      request.direction,
      BigInt(request.amountMicros),
      BigInt(request.receivedAt),
      request.metadata ?? null,
      session === undefined ? null : this.#visitors.get(session.hash),
      seq,
      this.#source,
      request.eventId === undefined ? null : eventKeyOf(request.eventId),
      0,
    ]);
  }

  #addFeedback(request: AcceptedFeedback, seq: bigint): void {
    const property = this.#terms.idOf(request.propertyId);
    this.#writers.feedback.add([
      property,
      this.#sessions.of(request)[0]?.key ?? null,
      request.sessionId ?? null,
      request.id,
      this.#terms.idOf(request.feedbackTypeId),
      request.option ?? null,
      request.message ?? null,
      request.metadata ?? null,
      BigInt(request.receivedAt),
      seq,
      this.#source,
      0,
    ]);
  }

  #addCollect(request: AcceptedCollect, seq: bigint): void {
    const property = this.#terms.idOf(request.propertyId);
    const { visitor, change } = this.#collects.get(request) as CollectKeys;
    const { key } = this.#sessions.of(request)[0] as BatchSession;
    const events = collectedEvents(request);
    let seenUntil = Number.NEGATIVE_INFINITY;
    for (const [index, event] of events.entries()) {
      seenUntil = Math.max(seenUntil, event.at);
      this.#writers.session_events.add([...sessionEventRow(property, key, event, seq), this.#source, index]);
    }
    this.#writers.collects.add([
      property,
      key,
      seq,
      BigInt(request.receivedAt),
      events.length === 0 ? ALWAYS : BigInt(seenUntil),
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
      this.#source,
    ]);
  }
}

function sessionEventRow(property: number, key: bigint, event: CollectedEvent | Heartbeat, seq: bigint) {
  const fields: Partial<CollectedEvent> = event.type === 'heartbeat' ? {} : event;
  return [
    property,
    key,
    SESSION_EVENT_TYPES[event.type],
    BigInt(event.at),
    fields.name ?? null,
    fields.url ?? null,
    fields.referrer ?? null,
    fields.title ?? null,
    fields.properties ?? null,
    seq,
    bigintOrNull(fields.clientAt),
  ];
}

const bigintOrNull = (value: number | undefined) => (value === undefined ? null : BigInt(value));
