import type { MetricBaselineQuery, SplitTestMetricsQuery } from '../../../store/metric-queries.ts';
import type { ClickHouse } from '../../connection/clickhouse-client.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { startedUnits } from '../sessions/started-sessions.ts';
import { SEEN_AT } from '../split-tests/phase-exposures.ts';
import { IS_COUNTED, SplitTestVisitors, type VisitorEvents } from '../split-tests/split-test-visitors.ts';

/** SQL for the visitors whose metrics are counted; new for each statement. */
export interface MetricVisitors {
  readonly values: SqlValues;
  /** Placeholder of the property. */
  readonly property: string;
  /** SELECT of them: `unit`, `shown`, `is_bot`, `is_returning`, `first_at` and `events`, and what `isTheirs` needs. */
  units(events: VisitorEvents): string;
  /** Condition on a time: the visitor has entered and has not left. */
  isTheirs(time: string): string;
}

/** When the first and the last visitor entered. */
export type Entered = readonly [first: number, last: number];

/** The visitors that count in a phase of a test, as for its goals. */
export function exposedVisitors(tables: TableNames, query: SplitTestMetricsQuery): MetricVisitors {
  const visitors = new SplitTestVisitors(tables, query);
  return {
    values: visitors.values,
    property: visitors.property,
    units: (events) => `SELECT * FROM (${visitors.units(events)}) WHERE ${IS_COUNTED}`,
    isTheirs: (time) => visitors.isOutcome(time),
  };
}

/** Undefined if nobody has seen the test in this phase. */
export async function exposedTimes(
  clickhouse: ClickHouse,
  query: SplitTestMetricsQuery,
  signal: AbortSignal | undefined,
): Promise<Entered | undefined> {
  const { exposures, values } = new SplitTestVisitors(clickhouse.tables, query);
  const [row] = await clickhouse.rows<[count: string, first: string, last: string]>(
    `SELECT count(), min(${SEEN_AT}), max(${SEEN_AT}) FROM ${clickhouse.tables.of('exposures')} WHERE ${exposures.where()}`,
    values.parameters,
    signal,
  );
  const [count, first, last] = row!.map(Number) as [number, number, number];
  return count === 0 ? undefined : [first, last];
}

/** The visitors with a session that started within a period; their time starts with the first one. */
export function startedVisitors(
  tables: TableNames,
  { propertyId, from, to }: Pick<MetricBaselineQuery, 'propertyId' | 'from' | 'to'>,
): MetricVisitors {
  const values = new SqlValues();
  const property = values.text(propertyId);
  const period = { property, from: values.integer(from), to: values.integer(to) };
  return {
    values,
    property,
    units: (events) =>
      `SELECT unit, 1 AS shown, false AS is_bot, false AS is_returning, minIf(started_at, has_started) AS first_at,
          groupArrayIf((${Object.keys(events.columns).join(', ')}), NOT has_started) AS events
        FROM (${startedUnits(tables, period, events)}) GROUP BY unit HAVING max(has_started)`,
    isTheirs: (time) => `${time} >= first_at`,
  };
}
