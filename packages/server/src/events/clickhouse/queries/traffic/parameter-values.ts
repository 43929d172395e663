import { parameterExpression } from '../../../store/page-expression.ts';
import type { ParameterQuery } from '../../../store/traffic-queries.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import { botSessions } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';

export async function parameterValues(
  { clickhouse, signal }: QueryContext,
  { propertyId, name, values, from }: ParameterQuery,
): Promise<string[]> {
  if (values.length === 0) return [];
  const { tables } = clickhouse;
  const bound = new SqlValues();
  const property = `property = ${bound.text(propertyId)}`;
  const rows = await clickhouse.rows<[string]>(
    `SELECT DISTINCT extract(ifNull(url, ''), ${bound.text(parameterExpression(name, values))})
     FROM ${tables.of('session_events')}
     WHERE ${property} AND type = 'pageview' AND happened_at >= ${bound.integer(from)}
       AND position(ifNull(url, ''), ${bound.text(`${name}=`)}) > 0
       AND session_id NOT IN (${botSessions(tables, property)})`,
    bound.parameters,
    signal,
  );
  const found = new Set(rows.map(([it]) => it));
  return values.filter((it) => found.has(it));
}
