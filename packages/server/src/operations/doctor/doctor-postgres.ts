import { sql } from 'kysely';
import type { Database } from '../../configuration/database/database.ts';
import { readAppliedMigrations } from '../../configuration/database/migrations/migrate.ts';
import { readDatabase } from '../../configuration/database/open-database.ts';
import { assertSessions } from '../../configuration/database/postgres/assert-sessions.ts';
import { connectPostgres } from '../../configuration/database/postgres/open-postgres.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { checkAccess } from './doctor-access.ts';
import { type Check, firstLine } from './doctor-check.ts';
import { checkHistory } from './doctor-history.ts';
import { checkMigrations } from './doctor-storage.ts';

const NAME = 'PostgreSQL';
const MIN_VERSION = 13;

/** The connection, the schema and the history; changes nothing. */
export async function checkPostgres(model: ConfigurationModel, url: string): Promise<Check[]> {
  try {
    const pooled = await checkSessions(url);
    if (pooled !== undefined) return [pooled];
    const checks = await readDatabase({ url }, checkDatabase);
    // The history is only readable in a database of this version.
    const isReadable = checks.every(({ status }) => status === 'ok');
    if (!isReadable) return checks;
    return [...checks, ...(await checkHistory(model, { url })), ...(await checkAccess({ url }))];
  } catch (error) {
    const hint = 'Check DATABASE_URL, and that the server runs and accepts connections from here.';
    return [{ name: NAME, status: 'fail', detail: `cannot be reached: ${firstLine(error)}`, hint }];
  }
}

/** Undefined if there is nothing to report. */
async function checkSessions(url: string): Promise<Check | undefined> {
  const database = connectPostgres(url, { connections: 2 });
  try {
    await assertSessions(database);
    return undefined;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code !== 'DATABASE_POOLS_TRANSACTIONS') throw error;
    return { name: NAME, status: 'fail', detail: 'transactions are pooled', hint: message };
  } finally {
    await database.destroy();
  }
}

async function checkDatabase(database: Database): Promise<Check[]> {
  const { rows } = await sql<{ server_version: string }>`show server_version`.execute(database);
  const version = rows[0]?.server_version ?? '';
  const isSupported = Number.parseInt(version, 10) >= MIN_VERSION;
  const hint = `Use PostgreSQL ${MIN_VERSION} or newer.`;
  const server: Check = { name: NAME, status: isSupported ? 'ok' : 'fail', detail: version, hint };
  return [server, { name: 'Configuration', ...(await checkSchema(database)) }];
}

async function checkSchema(database: Database): Promise<Omit<Check, 'name'>> {
  const applied = (await readAppliedMigrations(database)).sort();
  const problem = checkMigrations(applied);
  if (problem !== undefined) return problem;
  const { length } = await database.selectFrom('properties').select('id').execute();
  return { status: 'ok', detail: `schema ${applied.at(-1)}, properties: ${length}` };
}
