import type { DuckDBConnection } from '@duckdb/node-api';
import { TimeSlice } from '../../../platform/threads/time-slice.ts';
import type { JournalEntry } from '../../store/accepted-request.ts';
import { inTransaction } from '../connection/sql.ts';
import { addRemains } from '../deletion/session-remains.ts';
import { type BatchSession, BatchSessions } from './batch-sessions.ts';
import { ChunkWriter } from './chunk-writer.ts';
import type { KeyHasher } from './lookup/key-hasher.ts';
import type { SessionRegistry } from './lookup/session-registry.ts';
import type { SourceList } from './lookup/source-list.ts';
import type { TermDictionary } from './lookup/term-dictionary.ts';
import { RequestRows, type RequestTable } from './request-rows.ts';
import type { SessionVisitors } from './session-visitors.ts';
import { withoutStored } from './stored-events.ts';

type Writers = Record<RequestTable | 'sessions' | 'terms', ChunkWriter>;

/** What is kept in memory about the stored events. */
export interface Lookups {
  terms: TermDictionary;
  keys: KeyHasher;
  registry: SessionRegistry;
  visitors: SessionVisitors;
  sources: SourceList;
}

/** Stores batches of journal entries, each in one transaction together with the watermark. */
export class BatchLoader {
  readonly #terms: TermDictionary;
  readonly #keys: KeyHasher;
  readonly #registry: SessionRegistry;
  readonly #visitors: SessionVisitors;
  readonly #sources: SourceList;
  #writers: Writers | undefined;

  constructor({ terms, keys, registry, visitors, sources }: Lookups) {
    this.#terms = terms;
    this.#keys = keys;
    this.#registry = registry;
    this.#visitors = visitors;
    this.#sources = sources;
  }

  /** Entries must be in ascending order, and after the watermark of their source. */
  async load(
    connection: DuckDBConnection,
    sourceName: string,
    entries: readonly JournalEntry[],
  ): Promise<void> {
    const source = this.#sources.idOf(sourceName);
    this.#writers ??= await createWriters(connection);
    const writers = this.#writers;
    const sessions = new BatchSessions(entries.length);
    const watermark = (entries.at(-1) as JournalEntry).seq;
    try {
      await inTransaction(connection, async () => {
        const { hasSeveral } = this.#sources;
        const newEntries = hasSeveral ? await withoutStored(connection, this.#terms, entries) : entries;
        const collects = await this.#visitors.addCollects(newEntries, this.#keys, this.#registry, hasSeveral);
        const lookups = { terms: this.#terms, keys: this.#keys, visitors: this.#visitors };
        await sessions.addAll(newEntries, { ...lookups, collects });
        const batch = { source: sourceName, watermark };
        await writeSessions(await sessions.reconcile(connection, this.#registry, batch), writers.sessions);
        await writeRequests(newEntries, new RequestRows(writers, { ...lookups, sessions, collects, source }));
        for (const { id, text } of this.#terms.added) writers.terms.add([id, text]);
        for (const writer of Object.values(writers)) await writer.finish();
        await addRemains(connection, sessions.remainsOf(newEntries, source), this.#sources.tieBreak);
        await this.#sources.storeWatermark(connection, sourceName, watermark);
      });
    } catch (error) {
      // Discard buffered rows of this batch, so that they do not end up in the next one.
      this.close();
      throw error;
    }
    this.#terms.markStored();
    await sessions.addTo(this.#registry);
    this.#sources.setWatermark(sourceName, watermark);
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

async function writeSessions(sessions: readonly BatchSession[], writer: ChunkWriter): Promise<void> {
  for (const { property, key, hash, sessionId, startedAt } of sessions) {
    const start = Number.isFinite(startedAt) ? BigInt(startedAt) : null;
    writer.add([property, key, hash.value, sessionId, start, null]);
    if (writer.isFull) await writer.write();
  }
}

async function writeRequests(entries: readonly JournalEntry[], rows: RequestRows): Promise<void> {
  const slice = new TimeSlice();
  for (const entry of entries) {
    for (const table of rows.add(entry)) if (table.isFull) await table.write();
    if (slice.isOver) await slice.next();
  }
}
