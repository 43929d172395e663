import { SESSION_MARKS } from './clickhouse-tables.ts';
import type { TableNames } from './table-names.ts';

const EVENT =
  'source, seq, min(ordinal), property, session_id, min(happened_at), any(received_at), max(happened_at)';

/** Order of the page views of a request. */
const POSITION = '(happened_at, ordinal)';

/**
 * Adds what session_starts has of expired events. Rows that are already there get a second one with it; both count, so
 * that the statements can be repeated.
 */
export function markSessionStarts(names: TableNames): string[] {
  const tables = new Set([names.stored('session_starts'), names.of('session_starts')]);
  const insert = `INSERT INTO ${names.of('session_starts')}`;
  const settings = 'SETTINGS max_partitions_per_insert_block = 0, distributed_foreground_insert = 1';
  const viewed = (pick: 'argMin' | 'argMax', column: string) => `${pick}(ifNull(${column}, ''), ${POSITION})`;
  return [
    ...[...tables].flatMap((table) =>
      SESSION_MARKS.map(
        (column) => `ALTER TABLE ${table}${names.onCluster} ADD COLUMN IF NOT EXISTS ${column}`,
      ),
    ),
    `${insert} (source, seq, ordinal, property, session_id, happened_at, received_at, last_at, bot) ${settings}
     SELECT ${EVENT}, true FROM ${names.of('exposures')} WHERE bot GROUP BY source, seq, property, session_id`,
    `${insert} (source, seq, ordinal, property, session_id, happened_at, received_at, last_at, has_view,
       entry_at, entry_ordinal, entry_url, entry_referrer, exit_at, exit_ordinal, exit_url) ${settings}
     SELECT ${EVENT}, true, min(${POSITION}).1, min(${POSITION}).2, ${viewed('argMin', 'url')},
       ${viewed('argMin', 'referrer')}, max(${POSITION}).1, max(${POSITION}).2, ${viewed('argMax', 'url')}
     FROM ${names.of('session_events')} WHERE type = 'pageview' GROUP BY source, seq, property, session_id`,
    // So that the rule that deleted rows of this table is removed, see `setRetention`.
    `INSERT INTO ${names.of('retentions')} (property, days) SELECT DISTINCT property, 4294967295 FROM ${names.of('retentions')}`,
  ];
}
