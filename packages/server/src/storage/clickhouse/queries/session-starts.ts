import type { TableNames } from '../schema/table-names.ts';

/** SELECT of the starts of sessions: `session_id` and `started_at`. `where` filters `session_starts`. */
export function sessionStarts(tables: TableNames, where: string): string {
  return `SELECT session_id, min(happened_at) AS started_at FROM ${tables.of('session_starts')}
    WHERE ${where} GROUP BY session_id`;
}
