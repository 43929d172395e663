import { sql } from 'kysely';
import type { Database } from '../database.ts';

/**
 * Throws if a pooler between this node and the server gives connections another session for each transaction: locks,
 * notifications and settings would belong to someone else. Then two connections share sessions, or one of them changes
 * its session, whichever the pooler takes next.
 */
export async function assertSessions(database: Database): Promise<void> {
  const keeps = await database
    .connection()
    .execute((a) => database.connection().execute((b) => haveOwnSessions(a, b)));
  if (!keeps) throw poolsTransactions();
}

async function haveOwnSessions(a: Database, b: Database): Promise<boolean> {
  const sessions = { a: new Set<number>(), b: new Set<number>() };
  // Irregular, so that a pooler that takes turns gives one of them another session.
  for (const name of ['a', 'b', 'b', 'a', 'a', 'b'] as const) {
    sessions[name].add(await sessionOf(name === 'a' ? a : b));
  }
  return new Set([...sessions.a, ...sessions.b]).size === 2 && sessions.a.size === 1 && sessions.b.size === 1;
}

async function sessionOf(connection: Database): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection);
  return rows[0]!.pid;
}

const poolsTransactions = () =>
  Object.assign(
    new Error(
      'DATABASE_URL leads to a connection pooler that pools transactions, not sessions. Nodes need locks and ' +
        'notifications, which belong to a session: set pool_mode = session in PgBouncer for this database, or connect ' +
        'to PostgreSQL directly.',
    ),
    { code: 'DATABASE_POOLS_TRANSACTIONS' },
  );
