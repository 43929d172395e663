import type { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';

/** Ids of nodes are shorter. */
const SOURCE_BYTES = 16;

/**
 * SQL for a number in the order of time, then source, then position. Both must be 64-bit integers: their bytes are joined,
 * the most significant last, because the engine takes several times as long to compare tuples.
 */
export const orderKey = (time: string, position: string) =>
  `reinterpretAsInt256(concat(reinterpretAsFixedString(${position}),
     reverse(toFixedString(substring(toString(source), 1, ${SOURCE_BYTES}), ${SOURCE_BYTES})),
     reinterpretAsFixedString(${time})))`;

/** SQL for the order of collects. */
export const ARRIVAL = orderKey('received_at', 'seq');

/** SQL for the value of the latest collect; of a nullable column, of the latest collect that has a value. */
export const latest = (column: string) => `argMax(${column}, ${ARRIVAL})`;

/** SELECT of the latest visitor and user of sessions: `session_id`, `visitor_id` and `user_id`. `where` filters `collects`. */
export function identities(tables: TableNames, where: string): string {
  return `SELECT session_id, ${latest('collects.visitor_id')} AS visitor_id, ${latest('collects.user_id')} AS user_id
    FROM ${tables.of('collects')} AS collects WHERE ${where} GROUP BY session_id`;
}

/** Conditions on events with a session, by its latest visitor and user. */
export function ofIdentity(
  tables: TableNames,
  { propertyId, visitorId, userId }: { propertyId: string; visitorId?: string; userId?: string },
  values: SqlValues,
): string[] {
  const wanted = [
    ['visitor_id', visitorId],
    ['user_id', userId],
  ] as const;
  return wanted.flatMap(([column, id]) => {
    if (id === undefined) return [];
    const [property, value] = [`property = ${values.text(propertyId)}`, values.text(id)];
    return `has_session AND session_id IN (
      SELECT session_id FROM ${tables.of('collects')}
      WHERE ${property} AND session_id IN (
        SELECT session_id FROM ${tables.of('collects')} WHERE ${property} AND ${column} = ${value})
      GROUP BY session_id HAVING ${latest(column)} = ${value})`;
  });
}
