import type { DuckDBConnection } from '@duckdb/node-api';
import { ShortTurns } from '../../short-turns.ts';
import type { SessionKey } from '../lookup/key-hasher.ts';
import { KeyTable } from '../lookup/key-table.ts';
import type { SessionRegistry } from '../lookup/session-registry.ts';
import { execute, keyList, rowsOf } from '../sql.ts';

export interface BatchSession {
  property: number;
  key: SessionKey;
  sessionId: string;
  /** Earliest event of the session in the batch. */
  startedAt: number;
}

interface LoweredSession {
  session: BatchSession;
  startedBefore: number;
}

/** The sessions of a batch and their changes to the table `sessions`. */
export class BatchSessions {
  readonly #index: KeyTable;
  readonly #sessions: BatchSession[] = [];

  constructor(expected: number) {
    this.#index = new KeyTable('numbers', expected);
  }

  add(property: number, key: SessionKey, sessionId: string, at: number): void {
    const index = this.#index.get(key.low, key.high);
    if (index === undefined) {
      this.#index.set(key.low, key.high, this.#sessions.length);
      this.#sessions.push({ property, key, sessionId, startedAt: at });
      return;
    }
    const session = this.#sessions[index] as BatchSession;
    if (at < session.startedAt) session.startedAt = at;
  }

  /** Moves the start of sessions with earlier events back; returns the new sessions. */
  async reconcile(
    connection: DuckDBConnection,
    registry: SessionRegistry,
    batch: { source: string; watermark: number },
  ): Promise<BatchSession[]> {
    const newSessions: BatchSession[] = [];
    const uncached: BatchSession[] = [];
    const lowered: LoweredSession[] = [];
    const compare = (session: BatchSession, startedBefore: number) => {
      if (session.startedAt < startedBefore) lowered.push({ session, startedBefore });
      else session.startedAt = startedBefore;
    };
    const turns = new ShortTurns();
    for (const session of this.#sessions) {
      if (turns.isOver) await turns.next();
      const startedBefore = registry.startOf(session.key);
      if (startedBefore !== undefined) compare(session, startedBefore);
      else if (registry.knows(session.key)) uncached.push(session);
      else newSessions.push(session);
    }
    const stored = await lookUpStarts(connection, uncached);
    for (const session of uncached) {
      const startedBefore = stored.get(session.key.value);
      if (startedBefore === undefined) newSessions.push(session);
      else compare(session, startedBefore);
    }
    for (const { session, startedBefore } of lowered) {
      const { property, key } = session;
      registry.recordMove({ property, key: key.value, startedBefore, ...batch });
    }
    await lowerStarts(connection, lowered);
    return newSessions;
  }

  /** Call it once the batch is stored. */
  async addTo(registry: SessionRegistry): Promise<void> {
    const turns = new ShortTurns();
    for (const { property, key, startedAt } of this.#sessions) {
      registry.add(property, key, startedAt);
      if (turns.isOver) await turns.next();
    }
  }
}

async function lookUpStarts(
  connection: DuckDBConnection,
  sessions: readonly BatchSession[],
): Promise<Map<bigint, number>> {
  if (sessions.length === 0) return new Map();
  const rows = await rowsOf<[bigint, bigint]>(
    connection,
    `SELECT session_key, started_at FROM sessions WHERE session_key IN ${keyList('$1')}`,
    [sessions.map(({ key }) => key.value).join(',')],
  );
  return new Map(rows.map(([key, startedAt]) => [key, Number(startedAt)]));
}

async function lowerStarts(connection: DuckDBConnection, lowered: readonly LoweredSession[]): Promise<void> {
  if (lowered.length === 0) return;
  const before = lowered.map(({ startedBefore }) => startedBefore);
  // The range lets the scan skip nearly everything: most of these sessions started recently.
  await execute(
    connection,
    `UPDATE sessions SET started_at = earlier.started_at
     FROM (SELECT unnest(CAST(string_split($1, ',') AS BIGINT[])) AS session_key,
                  unnest(CAST(string_split($2, ',') AS BIGINT[])) AS started_at) AS earlier
     WHERE sessions.session_key = earlier.session_key AND sessions.started_at BETWEEN $3 AND $4`,
    [
      lowered.map(({ session }) => session.key.value).join(','),
      lowered.map(({ session }) => session.startedAt).join(','),
      before.reduce((min, at) => Math.min(min, at)),
      before.reduce((max, at) => Math.max(max, at)),
    ],
  );
}
