import type { DuckDBConnection } from '@duckdb/node-api';
import { KeyTable } from '../../../platform/key-table.ts';
import { TimeSlice } from '../../../platform/threads/time-slice.ts';
import {
  type AcceptedCollect,
  type AcceptedRequest,
  isUnitSession,
  type JournalEntry,
} from '../../store/accepted-request.ts';
import { execute, keyList, rowsOf } from '../connection/sql.ts';
import type { MovedRemains } from '../deletion/session-remains.ts';
import { collectedEvents } from './collected-events.ts';
import type { KeyHasher, SessionHash } from './lookup/key-hasher.ts';
import type { SessionRegistry } from './lookup/session-registry.ts';
import type { TermDictionary } from './lookup/term-dictionary.ts';
import type { CollectKeys } from './session-visitors.ts';

export interface BatchSession {
  property: number;
  hash: SessionHash;
  sessionId: string;
  /** Earliest event of the session, in the batch or stored before; infinite if there is none. */
  startedAt: number;
  /** Set by `reconcile`. */
  key: bigint;
}

interface LoweredSession {
  session: BatchSession;
  startedBefore: number;
}

interface Lookups {
  terms: Pick<TermDictionary, 'idOf'>;
  keys: KeyHasher;
  collects: ReadonlyMap<AcceptedCollect, CollectKeys>;
}

/** The sessions of a batch and their changes to the table `sessions`. */
export class BatchSessions {
  readonly #index: KeyTable;
  readonly #sessions: BatchSession[] = [];
  readonly #ofRequest = new Map<AcceptedRequest, readonly BatchSession[]>();

  constructor(expected: number) {
    this.#index = new KeyTable('numbers', expected);
  }

  async addAll(entries: readonly JournalEntry[], lookups: Lookups): Promise<void> {
    const slice = new TimeSlice();
    for (const { request } of entries) {
      const sessions = this.#add(request, lookups);
      for (const { sessionId, startedAt } of request.remains ?? []) {
        for (const session of sessions) if (session.sessionId === sessionId) startedBy(session, startedAt);
      }
      this.#ofRequest.set(request, sessions);
      if (slice.isOver) await slice.next();
    }
  }

  /** The session of each exposure, or the one of any other request, if it has one. */
  of(request: AcceptedRequest): readonly BatchSession[] {
    return this.#ofRequest.get(request) as readonly BatchSession[];
  }

  #add(request: AcceptedRequest, { terms, keys, collects }: Lookups): BatchSession[] {
    const property = terms.idOf(request.propertyId);
    if (request.kind === 'exposures') {
      let last: BatchSession | undefined;
      return request.exposures.map(({ sessionId, at }) => {
        // All exposures of a request nearly always belong to one session.
        if (last?.sessionId !== sessionId) {
          last = this.#session(property, keys.sessionHash(request.propertyId, sessionId), sessionId);
        }
        return isUnitSession(sessionId) ? (last as BatchSession) : startedBy(last as BatchSession, at);
      });
    }
    if (request.sessionId === undefined) return [];
    if (request.kind !== 'collect') {
      const hash = keys.sessionHash(request.propertyId, request.sessionId);
      return [startedBy(this.#session(property, hash, request.sessionId), request.receivedAt)];
    }
    const session = this.#session(property, collects.get(request)!.session, request.sessionId);
    for (const { at } of collectedEvents(request)) startedBy(session, at);
    return [session];
  }

  #session(property: number, hash: SessionHash, sessionId: string): BatchSession {
    const index = this.#index.get(hash.low, hash.high);
    if (index !== undefined) return this.#sessions[index] as BatchSession;
    this.#index.set(hash.low, hash.high, this.#sessions.length);
    const session = { property, hash, sessionId, startedAt: Number.POSITIVE_INFINITY, key: 0n };
    this.#sessions.push(session);
    return session;
  }

  /** Assigns keys, and moves the start of sessions with earlier events back; returns the new sessions. */
  async reconcile(
    connection: DuckDBConnection,
    registry: SessionRegistry,
    batch: { source: string; watermark: number },
  ): Promise<BatchSession[]> {
    const newSessions: BatchSession[] = [];
    const uncached: BatchSession[] = [];
    const lowered: LoweredSession[] = [];
    const found = (session: BatchSession, key: bigint, startedBefore: number) => {
      session.key = key;
      if (session.startedAt < startedBefore) lowered.push({ session, startedBefore });
      else session.startedAt = startedBefore;
    };
    const slice = new TimeSlice();
    for (const session of this.#sessions) {
      if (slice.isOver) await slice.next();
      const key = registry.keyOf(session.hash);
      if (key !== undefined) found(session, key, registry.startOf(key) as number);
      else if (registry.knows(session.hash)) uncached.push(session);
      else newSessions.push(session);
    }
    const stored = await lookUpSessions(connection, uncached);
    for (const session of uncached) {
      const [key, startedBefore] = stored.get(session.hash.value) ?? [];
      if (key === undefined) newSessions.push(session);
      else found(session, key, startedBefore as number);
    }
    let { nextKey } = registry;
    for (const session of newSessions) session.key = nextKey++;
    await lowerStarts(connection, registry, lowered, batch);
    return newSessions;
  }

  /** What other stores have kept of the sessions of requests; call it after `reconcile`. */
  remainsOf(entries: readonly JournalEntry[], source: number): MovedRemains[] {
    const remains = new Map<bigint, MovedRemains>();
    for (const { seq, request } of entries) {
      for (const { sessionId, startedAt: _, ...marks } of request.remains ?? []) {
        const { property, key } = this.of(request).find((it) => it.sessionId === sessionId) as BatchSession;
        remains.set(key, { property, key, seq, source, ...marks });
      }
    }
    return [...remains.values()];
  }

  /** Call it once the batch is stored. */
  async addTo(registry: SessionRegistry): Promise<void> {
    const slice = new TimeSlice();
    for (const { property, hash, key, startedAt } of this.#sessions) {
      registry.add(property, hash, key, startedAt);
      if (slice.isOver) await slice.next();
    }
  }
}

function startedBy(session: BatchSession, at: number): BatchSession {
  if (at < session.startedAt) session.startedAt = at;
  return session;
}

/** Keys and starts by hash. */
async function lookUpSessions(
  connection: DuckDBConnection,
  sessions: readonly BatchSession[],
): Promise<Map<bigint, [key: bigint, startedAt: number]>> {
  if (sessions.length === 0) return new Map();
  const rows = await rowsOf<[bigint, bigint, bigint | null]>(
    connection,
    `SELECT session_hash, session_key, started_at FROM sessions WHERE session_hash IN ${keyList('$1')}`,
    [sessions.map(({ hash }) => hash.value).join(',')],
  );
  return new Map(
    rows.map(([hash, key, startedAt]) => [
      hash,
      [key, startedAt === null ? Number.POSITIVE_INFINITY : Number(startedAt)],
    ]),
  );
}

async function lowerStarts(
  connection: DuckDBConnection,
  registry: SessionRegistry,
  lowered: readonly LoweredSession[],
  batch: { source: string; watermark: number },
): Promise<void> {
  const moved = lowered.filter(({ startedBefore }) => Number.isFinite(startedBefore));
  for (const { session, startedBefore } of moved) {
    registry.recordMove({ property: session.property, key: session.key, startedBefore, ...batch });
  }
  if (moved.length > 0) {
    const before = moved.map(({ startedBefore }) => startedBefore);
    const [oldest, newest] = [
      before.reduce((a, b) => Math.min(a, b)),
      before.reduce((a, b) => Math.max(a, b)),
    ];
    // The range lets the scan skip nearly everything: most of these sessions started recently.
    await storeStarts(connection, moved, `sessions.started_at BETWEEN ${oldest} AND ${newest}`);
  }
  const started = lowered.filter(({ startedBefore }) => !Number.isFinite(startedBefore));
  if (started.length > 0) await storeStarts(connection, started, 'sessions.started_at IS NULL');
}

async function storeStarts(
  connection: DuckDBConnection,
  lowered: readonly LoweredSession[],
  where: string,
): Promise<void> {
  await execute(
    connection,
    `UPDATE sessions SET started_at = earlier.started_at
     FROM (SELECT unnest(CAST(string_split($1, ',') AS BIGINT[])) AS session_key,
                  unnest(CAST(string_split($2, ',') AS BIGINT[])) AS started_at) AS earlier
     WHERE sessions.session_key = earlier.session_key AND ${where}`,
    [
      lowered.map(({ session }) => session.key).join(','),
      lowered.map(({ session }) => session.startedAt).join(','),
    ],
  );
}
