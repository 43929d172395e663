import type { BounceMetric } from '../../../store/metric-signals.ts';
import { orderKey } from '../sessions/latest-identity.ts';
import type { VisitorEvents } from '../split-tests/split-test-visitors.ts';
import { SESSION_KEY } from '../units.ts';
import { isInPeriod, isPage, type MetricScope } from './metric-events.ts';
import { type Column, countColumns, isOver, isWithin, sumColumns } from './metric-values.ts';

/** One per visitor, so that those without sessions are counted. */
const NO_SESSION = '(toUInt64(1), toInt64(0), toUInt128(0))';

const KIND = 'shown, is_bot, is_returning';

/**
 * SQL for the sums of bounces. The first page view of a session is also known after it has expired: then the session does
 * not begin after the exposure.
 */
export function bounceStatement(
  scope: MetricScope,
  metrics: readonly BounceMetric[],
  now: number,
): { sql: string; columns: Column[] } {
  const { visitors, until } = scope;
  const columns = metrics.flatMap((metric, index) =>
    [...countColumns(isOver(metric, now)), ...sumColumns(index, true, isOver(metric, now))].map(
      ([name, sql]): Column => ({ metric, name, sql, step: 0 }),
    ),
  );
  const perSession = metrics.flatMap((metric, index) => {
    const isInTime = `is_theirs AND ${isWithin(metric, 'at', until)}`;
    return [
      `countIf(signals = 0 AND ${isInTime}) = 1 AS single_${index}`,
      `countIf(bitTest(signals, ${index + 1}) AND ${isInTime}) > 0 AS begun_${index}`,
    ];
  });
  const perVisitor = metrics.flatMap((_, index) => [
    `toInt128(countIf(begun_${index} AND single_${index})) AS v${index}`,
    `toInt128(countIf(begun_${index})) AS d${index}`,
  ]);
  const visits = `SELECT unit, ${KIND}, first_at, event.1 AS signals, event.2 AS at, event.3 AS visit,
      ${visitors.isTheirs('event.2')} AS is_theirs
    FROM (SELECT *, arrayJoin(arrayPushFront(events, ${NO_SESSION})) AS event FROM (${visitors.units(viewsAndEntries(scope, metrics))}))`;
  return {
    columns,
    sql: `SELECT ${KIND}, ${columns.map(({ sql }) => `toString(${sql})`).join(', ')} FROM (
        SELECT unit, ${KIND}, first_at, ${perVisitor.join(', ')} FROM (
          SELECT unit, ${KIND}, first_at, ${perSession.join(', ')} FROM (${visits})
          GROUP BY unit, ${KIND}, first_at, visit
          HAVING visit = 0 OR minIf(at, signals = 0) = minIf(at, signals > 0))
        GROUP BY unit, ${KIND}, first_at)
      GROUP BY ${KIND}`,
  };
}

/** Page views, whose `signals` are 0, and the first ones of their sessions, which have a bit for each matching pattern. */
function viewsAndEntries(scope: MetricScope, metrics: readonly BounceMetric[]): VisitorEvents {
  const { tables, visitors } = scope;
  const { values, property } = visitors;
  const period = isInPeriod('happened_at', { ...scope, metrics });
  const views = `FROM ${tables.of('session_events')} WHERE property = ${property} AND type = 'pageview' AND ${period}`;
  const sessions = `SELECT ${SESSION_KEY} ${views}`;
  const bits = metrics.map(
    ({ path }, index) => `if(${isPage(values, path, 'entry_url')}, toUInt64(${2n ** BigInt(index + 1)}), 0)`,
  );
  const entries = `SELECT ${SESSION_KEY} AS session,
      argMin(1 + ${bits.join(' + ')}, ${orderKey('entry_at', 'toInt64(entry_ordinal)')}) AS signals, min(entry_at) AS at,
      ${SESSION_KEY} AS visit
    FROM ${tables.of('session_starts')} WHERE property = ${property} AND has_view AND session IN (${sessions})
    GROUP BY session`;
  return {
    columns: { signals: '0', at: '0', visit: 'toUInt128(0)' },
    select: `SELECT ${SESSION_KEY} AS session, toUInt64(0) AS signals, happened_at AS at, session AS visit ${views}
      UNION ALL ${entries}`,
    sessions: [sessions],
  };
}
