import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { provisionDatabase } from '@switchyard/testing/configuration/provision-database';
import { findPgbouncer, Pgbouncer } from '@switchyard/testing/postgres/pgbouncer';
import { switchyardWith } from '@switchyard/testing/server/command-line';
import { waitFor } from '@switchyard/testing/time/wait';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openNodeDatabase } from '../../../start/node-database.ts';
import { openPostgres } from './open-postgres.ts';

describe.skipIf(!hasPostgres() || findPgbouncer() === undefined)('through PgBouncer', () => {
  let database: { url: string; remove: () => Promise<void> };
  let pgbouncer: Pgbouncer;
  let dataDir: string;

  const start = async (mode: 'session' | 'transaction') => {
    pgbouncer = await Pgbouncer.start(database.url, mode);
    const databaseUrl = pgbouncer.urlOf(database.url);
    return openNodeDatabase({ dataDir, databaseUrl }, pino({ enabled: false }));
  };

  beforeEach(async () => {
    database = await createPostgresDatabase({ empty: true });
    dataDir = mkdtempSync(join(tmpdir(), 'switchyard-pgbouncer-'));
  });
  afterEach(async () => {
    await pgbouncer.stop();
    rmSync(dataDir, { recursive: true });
    await database.remove();
  });

  test('sessions: a node migrates, leads, hears of changes, and has timeouts', async () => {
    const { handle } = await start('session');
    let changes = 0;
    handle.watch(() => changes++);
    handle.nodes.lead(() => async () => {});
    await waitFor('the leader', () => handle.nodes.isLeader);
    const other = await openPostgres(database.url);
    const before = changes;
    await provisionDatabase(other.database, { id: 'shop' });
    await other.close();
    await waitFor('the change', () => changes > before);
    const { rows } = await sql<{ statement: string; idle: string }>`
      select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle`.execute(handle.database);
    expect(rows).toEqual([{ statement: '4s', idle: '10s' }]);
    await handle.close();
  });

  test('transactions: a node says why it does not start, and doctor too', async () => {
    await expect(start('transaction')).rejects.toMatchObject({
      code: 'DATABASE_POOLS_TRANSACTIONS',
      message: expect.stringContaining('set pool_mode = session in PgBouncer'),
    });
    const environment = { DATABASE_URL: pgbouncer.urlOf(database.url), DATA_DIR: dataDir };
    const { code, stdout } = await switchyardWith(environment, 'doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(/fail {2}PostgreSQL +transactions are pooled/);
    expect(stdout).toContain('set pool_mode = session');
  });
});
