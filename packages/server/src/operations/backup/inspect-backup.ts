import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { ALL_MIGRATIONS } from '../../configuration/database/migrations/all-migrations.ts';
import { appliedMigrations } from '../../configuration/database/migrations/applied-migrations.ts';
import { unknownMigrations } from '../../configuration/database/migrations/migrate.ts';
import { danglingRows, integrityErrors } from '../../configuration/database/sqlite/integrity.ts';
import { inspectFile, type StoreContents } from '../../events/duckdb/verification/store-inspection.ts';
import type { BackupContents } from './manifest.ts';

/** Reads every page and block of a copy, and checks that its files belong together. Changes nothing. */
export async function inspectBackup(directory: string): Promise<BackupContents> {
  const file = join(directory, 'events.duckdb');
  const store = existsSync(file) ? await inspectFile(file) : { watermark: 0, events: 0 };
  const journal = inspectJournal(join(directory, 'journal.db'), store);
  return {
    properties: inspectConfiguration(join(directory, 'config.db')),
    events: store.events,
    pendingRequests: journal.pending,
    position: { store: store.watermark, journal: journal.last },
  };
}

function inspectJournal(path: string, { watermark }: StoreContents): { pending: number; last: number } {
  return inspect(path, (journal) => {
    const { handedOver } = journal.prepare('SELECT max(seq) AS handedOver FROM handed_over').get();
    const { pending, last } = journal
      .prepare(
        `SELECT count(*) AS pending, coalesce(max(seq), ?1) AS last
         FROM (SELECT seq FROM entries UNION ALL SELECT seq FROM entries_2) WHERE seq > ?1`,
      )
      .get(watermark) as { pending: number; last: number };
    const isGapless = last === watermark + pending;
    if (Number(handedOver) <= watermark && isGapless) return { pending, last };
    throw new Error(
      `${path} does not follow the event store, which ends at position ${watermark}. ` +
        'Was the server restarted during the backup, or was there too much load? Try again.',
    );
  });
}

function inspectConfiguration(path: string): number {
  return inspect(path, (configuration) => {
    const [dangling] = danglingRows(configuration);
    if (dangling !== undefined) throw new Error(`${path} is damaged: ${dangling}`);
    const unknown = unknownMigrations(appliedMigrations(configuration), ALL_MIGRATIONS);
    if (unknown.length > 0) {
      throw new Error(`${path} was written by a newer version of Switchyard. Use that version.`);
    }
    return Number(configuration.prepare('SELECT count(*) AS count FROM properties').get().count);
  });
}

function inspect<T>(path: string, read: (database: DatabaseSyncInstance) => T): T {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const [damage] = integrityErrors(database, 'integrity_check');
    if (damage !== undefined) throw new Error(`${path} is damaged: ${damage}`);
    return read(database);
  } catch (error) {
    const { message } = error as Error;
    throw message.includes(path) ? error : new Error(`${path} cannot be read: ${message}`, { cause: error });
  } finally {
    database.close();
  }
}
