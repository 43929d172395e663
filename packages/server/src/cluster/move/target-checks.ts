import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../configuration/database/database.ts';
import type { Positions } from '../../events/store/event-store.ts';

/** PostgreSQL lists a connection until it has noticed that it was closed: usually at once, on a busy machine later. */
const ENDING_MS = 10_000;
const POLL_MS = 100;

/** Other connections of Switchyard to this PostgreSQL database; `database` has a single one. */
export async function countNodeConnections(database: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = 'switchyard' and pid <> pg_backend_pid()
  `.execute(database);
  return Number(rows[0]?.count ?? 0);
}

/** Throws if others use the database. `onWait` is called if it has to be seen whether their connections end. */
export async function assertUnused(
  database: Database,
  onWait: () => void,
  endingMs: number = ENDING_MS,
): Promise<void> {
  const deadline = performance.now() + endingMs;
  for (let isFirst = true; (await countNodeConnections(database)) > 0; isFirst = false) {
    if (performance.now() >= deadline) {
      throw new Error('Nodes are using the PostgreSQL database. Stop them until the move is complete.');
    }
    if (isFirst) onWait();
    await sleep(POLL_MS);
  }
}

/** Throws unless the target is empty. */
export async function assertEmptyTarget(database: Database, positions: Positions): Promise<void> {
  for (const table of ['properties', 'history', 'accounts'] as const) {
    const row = await database.selectFrom(table).select('id').limit(1).executeTakeFirst();
    if (row !== undefined) {
      throw new Error(
        `The target has a configuration already (table ${table}), which is not from this move. Use empty databases.`,
      );
    }
  }
  if (Object.keys(positions).length > 0) {
    throw new Error('The target has events already, which are not from this move. Use empty databases.');
  }
}

/** Throws if the target has anything that the origin does not have: someone is using it. */
export async function assertSameInstallation(
  origin: { database: Database; positions: Positions },
  target: { database: Database; positions: Positions },
): Promise<void> {
  const known = new Set((await historyEnds(origin.database, 'all')).map(({ hash }) => hash));
  const other = (await historyEnds(target.database, 'last')).find(({ hash }) => !known.has(hash));
  if (other !== undefined) {
    throw new Error(
      `The configuration of the property "${other.property_id}" was changed in the target. A move would overwrite ` +
        'that. Use empty databases to start again.',
    );
  }
  for (const [source, position] of Object.entries(target.positions)) {
    if (position <= (origin.positions[source] ?? 0)) continue;
    throw new Error(
      `The target has events that are not from this move (journal ${source}). Use empty databases to start again.`,
    );
  }
}

function historyEnds(
  database: Database,
  which: 'all' | 'last',
): Promise<{ property_id: string; hash: string }[]> {
  let query = database.selectFrom('history as entry').select(['property_id', 'hash']);
  if (which === 'last') {
    query = query.where('sequence', '=', (select) =>
      select
        .selectFrom('history as later')
        .select((each) => each.fn.max('later.sequence').as('last'))
        .whereRef('later.property_id', '=', 'entry.property_id'),
    );
  }
  return query.execute();
}
