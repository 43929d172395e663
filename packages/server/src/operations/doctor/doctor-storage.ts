import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { ALL_MIGRATIONS } from '../../configuration/database/migrations/all-migrations.ts';
import { appliedMigrations } from '../../configuration/database/migrations/applied-migrations.ts';
import { unknownMigrations } from '../../configuration/database/migrations/migrate.ts';
import { databasePath } from '../../configuration/database/open-database.ts';
import { missingCommits } from '../../configuration/database/sqlite/commit-counter.ts';
import { danglingRows, integrityErrors } from '../../configuration/database/sqlite/integrity.ts';
import { missingPositions, positionReached } from '../../events/intake/journal/journal-loss.ts';
import { fileExists, isDenied } from '../../platform/files/file-exists.ts';
import { type Check, firstLine } from './doctor-check.ts';

const RESTORE = 'Stop the server, keep a copy of the directory, and restore the last backup.';
const LOST = `${RESTORE} Or start once with --accept-loss.`;

export function checkConfigurationDatabase(dataDir: string): Check {
  return checkFile('Configuration', databasePath(dataDir), (connection) => {
    const damage = [...integrityErrors(connection, 'integrity_check'), ...danglingRows(connection)];
    if (damage.length > 0)
      return { status: 'fail', detail: `config.db is damaged: ${damage[0]}`, hint: RESTORE };
    const missing = missingCommits(databasePath(dataDir));
    if (missing > 0)
      return { status: 'fail', detail: `changes are missing (lost commits: ${missing})`, hint: LOST };
    return checkSchema(connection);
  });
}

function checkSchema(connection: DatabaseSyncInstance): Omit<Check, 'name'> {
  const applied = appliedMigrations(connection);
  const problem = checkMigrations(applied);
  if (problem !== undefined) return problem;
  const count = connection.prepare('select count(*) as count from properties').get().count;
  return { status: 'ok', detail: `intact, schema ${applied.at(-1)}, properties: ${count}` };
}

/** Undefined if the schema is the one of this version. */
export function checkMigrations(applied: readonly string[]): Omit<Check, 'name'> | undefined {
  const unknown = unknownMigrations(applied, ALL_MIGRATIONS);
  if (unknown.length > 0) {
    const detail = `written by a newer version (${unknown.join(', ')})`;
    return {
      status: 'fail',
      detail,
      hint: 'Run that version, or restore the backup made before the upgrade.',
    };
  }
  const missing = ALL_MIGRATIONS.length - applied.length;
  if (missing > 0) {
    return {
      status: 'warn',
      detail: `${missing} migrations are pending`,
      hint: 'They run when the server starts.',
    };
  }
  return undefined;
}

/** @param position that the event store has reached; 0 if unknown */
function checkJournal(dataDir: string, position: number): Check {
  const intact = checkIntact('Journal', dataDir, 'journal.db', RESTORE);
  if (intact.status !== 'ok') return intact;
  const missing = missingPositions(join(dataDir, 'journal.db'), position);
  if (missing === 0) return intact;
  return { ...intact, status: 'fail', detail: `acknowledged requests are missing: ${missing}`, hint: LOST };
}

const checkMarks = (dataDir: string): Check =>
  checkIntact(
    'Idempotency keys',
    dataDir,
    'marks.db',
    'Stop the server and delete marks.db, marks.db-wal and marks.db-shm: requests of the last 24 hours that are repeated then count twice.',
  );

function checkIntact(name: string, dataDir: string, file: string, hint: string): Check {
  return checkFile(name, join(dataDir, file), (connection) => {
    const damage = integrityErrors(connection, 'quick_check');
    if (damage.length > 0) return { status: 'fail', detail: `${file} is damaged: ${damage[0]}`, hint };
    return { status: 'ok', detail: 'intact' };
  });
}

function checkFile(
  name: string,
  path: string,
  check: (connection: DatabaseSyncInstance) => Omit<Check, 'name'>,
): Check {
  let connection: DatabaseSyncInstance | undefined;
  try {
    if (!fileExists(path)) return missingFile(name, path);
    connection = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    return { name, ...check(connection) };
  } catch (error) {
    return {
      name,
      status: 'fail',
      detail: `${path} cannot be read: ${firstLine(error)}`,
      hint: hintFor(error),
    };
  } finally {
    connection?.close();
  }
}

/** Of everything that has events or requests. */
export async function checkEvents(dataDir: string): Promise<Check[]> {
  const { position = 0, ...store } = await checkEventStore(dataDir);
  return [checkJournal(dataDir, position), checkMarks(dataDir), store];
}

async function checkEventStore(dataDir: string): Promise<Check & { position?: number }> {
  const name = 'Event store';
  const path = join(dataDir, 'events.duckdb');
  try {
    if (!fileExists(path)) return missingFile(name, path);
    const { inspectStore } = await import('../../events/duckdb/verification/store-inspection.ts');
    const { watermark: position } = await inspectStore(path);
    const reached = positionReached(join(dataDir, 'journal.db'));
    if (position >= reached) {
      return { name, position, status: 'ok', detail: `intact, journal position ${position}` };
    }
    const detail = `events are missing: it ends at journal position ${position} but had reached ${reached}`;
    return { name, position, status: 'fail', detail, hint: LOST };
  } catch (error) {
    if ((error as { code?: unknown }).code === 'STORE_LOCKED') {
      return { name, status: 'ok', detail: 'in use by a running server' };
    }
    return { name, status: 'fail', detail: `cannot be read: ${firstLine(error)}`, hint: hintFor(error) };
  }
}

const hintFor = (error: unknown): string =>
  isDenied((error as Error).cause) ? 'Run the doctor as the user of the server.' : RESTORE;

/** A file missing before the first start is fine; after it, the file was lost. */
function missingFile(name: string, path: string): Check {
  const sibling = basename(path) === 'events.duckdb' ? 'journal.db' : 'events.duckdb';
  if (!existsSync(join(dirname(path), sibling))) {
    return { name, status: 'ok', detail: 'does not exist yet; it is created on the first start' };
  }
  const detail = `${basename(path)} is missing, but ${sibling} exists`;
  return {
    name,
    status: 'warn',
    detail,
    hint: 'If a server has run here, the file was lost: restore the last backup.',
  };
}
