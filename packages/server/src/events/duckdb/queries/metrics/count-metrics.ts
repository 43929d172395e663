import type { MetricTerm, QuantileSpread } from '../../../store/metric-queries.ts';
import {
  isBounce,
  isFunnel,
  isQuantile,
  isValued,
  MetricSignals,
  type QuantileMetric,
} from '../../../store/metric-signals.ts';
import { type Counted, CountedMetrics, type Sum } from '../../../store/metric-sums.ts';
import { recordsOf } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import type { SumType } from '../split-tests/group-rows.ts';
import { bounceStatement } from './bounce-statement.ts';
import { funnelStatement } from './funnel-statement.ts';
import { MetricEvents } from './metric-events.ts';
import { addMetricValues, createMetricValues, quantileSpreads } from './metric-quantiles.ts';
import { MetricTables } from './metric-tables.ts';
import { isOver } from './metric-times.ts';
import type { MetricVisitors } from './metric-visitors.ts';
import { valuedStatement } from './valued-metrics.ts';

/** As `VisitorKinds` reads it. */
type Kind = number | bigint;

interface MetricsQuery {
  metrics: readonly MetricTerm[];
  now: number;
  until: number;
  sumType: SumType;
}

export interface MetricResults {
  counted: CountedMetrics<Kind>;
  quantiles: { metric: QuantileMetric; includeBots: boolean; spreads: Map<bigint, QuantileSpread> }[];
}

/** One bit each, in integers of 128 bits with a sign. */
const MAX_SIGNALS = 120;

/** How much more memory it takes to count metrics than only visitors and conversions. */
const MEMORY_FACTOR = 2;

/** Counts metrics of visitors, in as many parts as the memory requires. The caller holds a snapshot. */
export async function countMetrics(
  context: QueryContext,
  visitors: MetricVisitors,
  query: MetricsQuery,
): Promise<MetricResults> {
  const results: MetricResults = { counted: new CountedMetrics<Kind>(query.metrics), quantiles: [] };
  for (const metrics of MetricSignals.batchesOf(query.metrics, MAX_SIGNALS)) {
    const count = new MetricCount(context, visitors, { ...query, metrics }, results);
    await count.run();
  }
  return results;
}

class MetricCount {
  readonly #context: QueryContext;
  readonly #query: MetricsQuery;
  readonly #results: MetricResults;
  readonly #tables: MetricTables;
  readonly #events: MetricEvents;
  readonly #quantiles: readonly QuantileMetric[];

  constructor(context: QueryContext, visitors: MetricVisitors, query: MetricsQuery, results: MetricResults) {
    this.#context = context;
    this.#query = query;
    this.#results = results;
    this.#tables = new MetricTables(context.connection, visitors);
    this.#events = new MetricEvents(
      context,
      query.metrics.filter((it) => !isBounce(it)),
      query.until,
    );
    this.#quantiles = query.metrics.filter(isQuantile);
  }

  async run(): Promise<void> {
    const { connection, maxVisitors, signal } = this.#context;
    const { visitors } = this.#tables;
    const read = await visitors.countRead(connection);
    if (read === 0) return;
    await this.#tables.prepare(this.#events.unresolved(visitors.property));
    if (this.#quantiles.length > 0) await createMetricValues(connection);
    const parts = Math.max(1, 2 ** Math.ceil(Math.log2((MEMORY_FACTOR * read) / maxVisitors)));
    for (let index = 0; index < parts; index++) {
      signal?.throwIfAborted();
      const entered = await this.#tables.select(parts > 1 ? { index, of: parts } : undefined);
      if (entered) await this.#countPart(entered);
    }
    for (const [index, metric] of this.#quantiles.entries()) await this.#addSpreads(metric, index);
  }

  async #countPart(entered: [first: number, last: number]): Promise<void> {
    const { connection } = this.#context;
    const { metrics, until, now } = this.#query;
    const bounces = metrics.filter(isBounce);
    await this.#countVisitors();
    if (bounces.length > 0 || this.#events.needsCollected) await this.#tables.selectSessions();
    if (bounces.length < metrics.length) {
      await this.#events.create(this.#tables, entered);
      await this.#countValued();
      await this.#countFunnels();
      await addMetricValues(connection, this.#events, this.#quantiles, { now, until });
    }
    if (bounces.length === 0) return;
    const times = { now, until, entered };
    const { sql, values } = bounceStatement(this.#context, this.#tables.visitors, bounces, times);
    this.#addColumns(bounces, await recordsOf<SumRow>(connection, sql, values));
  }

  async #countVisitors(): Promise<void> {
    const { metrics, now } = this.#query;
    // Metrics have few different windows.
    const conditions = [...new Set(metrics.map((metric) => isOver(metric, now)))];
    const columns = conditions.map((condition, index) => `count(*) FILTER (${condition}) AS over_${index}`);
    const rows = await recordsOf<SumRow>(
      this.#context.connection,
      `SELECT kind, count(*) AS visitors, ${columns.join(', ')} FROM metric_units GROUP BY kind`,
    );
    for (const row of rows) {
      for (const metric of metrics) {
        const visitors = row[`over_${conditions.indexOf(isOver(metric, now))}`] as bigint;
        const pending = (row.visitors as bigint) - visitors;
        this.#results.counted.add(metric, row.kind as Kind, { visitors, pending });
      }
    }
  }

  async #countValued(): Promise<void> {
    const valued = this.#query.metrics.filter(isValued);
    if (valued.length === 0) return;
    const statement = valuedStatement(valued, this.#events, this.#query);
    this.#addColumns(valued, await recordsOf<SumRow>(this.#context.connection, statement));
  }

  async #countFunnels(): Promise<void> {
    for (const metric of this.#query.metrics.filter(isFunnel)) {
      this.#context.signal?.throwIfAborted();
      const rows = await recordsOf<{ step: number; kind: Kind; visitors: bigint }>(
        this.#context.connection,
        funnelStatement(metric, this.#events, this.#query.now),
      );
      for (const { step, kind, visitors } of rows) {
        const steps = metric.steps.map((_, index) => (index === step - 1 ? visitors : 0n));
        const isWhole = step === metric.steps.length;
        const whole = isWhole && { reached: visitors, sum: visitors, squares: visitors };
        this.#results.counted.add(metric, kind, { steps, ...whole });
      }
    }
  }

  /** Adds columns that end with the position of their metric. */
  #addColumns(metrics: readonly MetricTerm[], rows: readonly SumRow[]): void {
    for (const row of rows) {
      for (const [index, metric] of metrics.entries()) {
        const columns = COLUMNS.flatMap((name) => {
          const value = row[`${name}_${index}`];
          return value === undefined ? [] : [[name, value]];
        });
        this.#results.counted.add(metric, row.kind as Kind, Object.fromEntries(columns) as Counted);
      }
    }
  }

  async #addSpreads(metric: QuantileMetric, index: number): Promise<void> {
    const { connection, signal } = this.#context;
    for (const includeBots of [true, false]) {
      signal?.throwIfAborted();
      const scope = { index, includeBots };
      const spreads = await quantileSpreads(connection, this.#tables.visitors, metric, scope);
      this.#results.quantiles.push({ metric, includeBots, spreads });
    }
  }
}

type SumRow = Record<string, Sum | null>;

const COLUMNS = ['reached', 'sum', 'squares', 'otherSum', 'otherSquares', 'product'] as const;
