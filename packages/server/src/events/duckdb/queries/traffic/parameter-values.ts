import { parameterExpression } from '../../../store/page-expression.ts';
import type { ParameterQuery } from '../../../store/traffic-queries.ts';
import { rowsOf, SqlValues } from '../../connection/sql.ts';
import { SESSION_EVENT_TYPES } from '../../schema/duckdb-schema.ts';
import { botSessions, botTerm } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';

export async function parameterValues(
  { connection, terms }: QueryContext,
  { propertyId, name, values, from }: ParameterQuery,
): Promise<string[]> {
  const property = terms.find(propertyId);
  if (property === undefined || values.length === 0) return [];
  const bound = new SqlValues();
  // Not AND, whose conditions the engine reorders: few URLs have the parameter.
  const value = `CASE WHEN contains(url, ${bound.add(`${name}=`)})
    THEN regexp_extract(url, ${bound.add(parameterExpression(name, values))}, 1) ELSE '' END`;
  const rows = await rowsOf<[string]>(
    connection,
    `SELECT DISTINCT ${value} FROM session_events
     WHERE property = ${property} AND type = ${SESSION_EVENT_TYPES.pageview} AND happened_at >= ${bound.add(from)}
       AND url IS NOT NULL AND session_key NOT IN (${botSessions(property, botTerm(terms), from)})`,
    bound.list,
  );
  const found = new Set(rows.map(([it]) => it));
  return values.filter((it) => found.has(it));
}
