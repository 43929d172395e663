import type { DuckDBConnection } from '@duckdb/node-api';
import type { JournalEntry } from '../../accepted-request.ts';
import type { KeyHasher } from '../lookup/key-hasher.ts';
import type { SessionRegistry } from '../lookup/session-registry.ts';
import type { TermDictionary } from '../lookup/term-dictionary.ts';
import { execute, inTransaction } from '../sql.ts';
import { BatchSessions } from './batch-sessions.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { RequestRows, type RequestTable } from './request-rows.ts';
import type { SessionVisitors } from './session-visitors.ts';

type Writers = Record<RequestTable | 'sessions' | 'terms', ChunkWriter>;

/** Stores batches of journal entries, each in one transaction together with the watermark. */
export class BatchLoader {
  readonly #terms: TermDictionary;
  readonly #keys: KeyHasher;
  readonly #registry: SessionRegistry;
  readonly #visitors: SessionVisitors;
  #writers: Writers | undefined;

  constructor(terms: TermDictionary, keys: KeyHasher, registry: SessionRegistry, visitors: SessionVisitors) {
    this.#terms = terms;
    this.#keys = keys;
    this.#registry = registry;
    this.#visitors = visitors;
  }

  /** Entries must be in ascending order; returns the new watermark. */
  async load(connection: DuckDBConnection, entries: readonly JournalEntry[]): Promise<number> {
    this.#writers ??= await createWriters(connection);
    const writers = this.#writers;
    const sessions = new BatchSessions(entries.length);
    const watermark = (entries.at(-1) as JournalEntry).seq;
    try {
      await inTransaction(connection, async () => {
        const collects = this.#visitors.addCollects(entries, this.#keys, this.#registry);
        const rows = new RequestRows(writers, this.#terms, this.#keys, sessions, this.#visitors, collects);
        await writeRequests(entries, rows);
        for (const { property, key, sessionId, startedAt } of await sessions.reconcile(
          connection,
          this.#registry,
          watermark,
        )) {
          writers.sessions.add([property, key.value, sessionId, BigInt(startedAt)]);
          if (writers.sessions.isFull) await writers.sessions.write();
        }
        for (const { id, text } of this.#terms.added) writers.terms.add([id, text]);
        for (const writer of Object.values(writers)) await writer.finish();
        await execute(connection, 'UPDATE store_state SET watermark = $1', [watermark]);
      });
    } catch (error) {
      // Discard buffered rows of this batch, so that they do not end up in the next one.
      this.close();
      throw error;
    }
    this.#terms.markStored();
    await sessions.addTo(this.#registry);
    return watermark;
  }

  /** Must be called before the connection is closed. */
  close(): void {
    for (const writer of Object.values(this.#writers ?? {})) writer.close();
    this.#writers = undefined;
  }
}

async function createWriters(connection: DuckDBConnection): Promise<Writers> {
  return {
    exposures: await ChunkWriter.create(connection, 'exposures'),
    conversions: await ChunkWriter.create(connection, 'conversions'),
    feedback: await ChunkWriter.create(connection, 'feedback'),
    session_events: await ChunkWriter.create(connection, 'session_events'),
    collects: await ChunkWriter.create(connection, 'collects'),
    sessions: await ChunkWriter.create(connection, 'sessions'),
    terms: await ChunkWriter.create(connection, 'terms'),
  };
}

async function writeRequests(entries: readonly JournalEntry[], rows: RequestRows): Promise<void> {
  for (const entry of entries) {
    for (const table of rows.add(entry)) if (table.isFull) await table.write();
  }
}
