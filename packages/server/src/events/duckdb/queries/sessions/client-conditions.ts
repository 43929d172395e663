import type { SessionPageQuery } from '../../../store/event-store.ts';
import type { SqlValues } from '../../connection/sql.ts';
import { botSessions, botTerm } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';
import type { SessionCondition } from './session-condition.ts';

const CLIENT_COLUMNS = ['country', 'device', 'browser', 'os'] as const;

/** Terms that mean that nothing is known. */
const unknownTerms = ({ terms }: QueryContext) => [0, terms.find('unknown') ?? 0];

/** Conditions on what is known about the browser of a session. */
export function clientConditions(context: QueryContext, query: SessionPageQuery): SessionCondition[] {
  const conditions: SessionCondition[] = [];
  for (const column of CLIENT_COLUMNS) {
    const value = query[column];
    if (value === null) {
      const known = `arg_max(${column}, ${context.sources.collectOrder}) NOT IN (${unknownTerms(context).join(', ')})`;
      conditions.push((...scope) => `session_key NOT IN (${collectedSessions(...scope, known)})`);
    } else if (value !== undefined) {
      const same = `arg_max(${column}, ${context.sources.collectOrder}) = ${context.terms.find(value) ?? -1}`;
      conditions.push((...scope) => `session_key IN (${collectedSessions(...scope, same)})`);
    }
  }
  if (query.bot !== undefined) conditions.push(botCondition(context, query.bot));
  return conditions;
}

/** Sessions whose collects match; every collect of a session ends after the session started. */
function collectedSessions(values: SqlValues, property: number, since: number, having: string): string {
  return `SELECT session_key FROM collects
    WHERE property = ${values.add(property)} AND seen_until >= ${values.add(since)}
    GROUP BY session_key HAVING ${having}`;
}

function botCondition({ terms }: QueryContext, isBot: boolean): SessionCondition {
  return (_values, property, since) =>
    `session_key ${isBot ? 'IN' : 'NOT IN'} (${botSessions(property, botTerm(terms), since)})`;
}
