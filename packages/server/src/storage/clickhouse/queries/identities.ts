import type { TableNames } from '../schema/table-names.ts';

/** SQL for the order of collects. */
const ARRIVAL = '(received_at, source, seq)';

/** SQL for the value of the latest collect; of a nullable column, of the latest collect that has a value. */
export const latest = (column: string) => `argMax(${column}, ${ARRIVAL})`;

/** SELECT of the latest visitor and user of sessions: `session_id`, `visitor_id` and `user_id`. `where` filters `collects`. */
export function identities(tables: TableNames, where: string): string {
  return `SELECT session_id, ${latest('collects.visitor_id')} AS visitor_id, ${latest('collects.user_id')} AS user_id
    FROM ${tables.of('collects')} AS collects WHERE ${where} GROUP BY session_id`;
}
