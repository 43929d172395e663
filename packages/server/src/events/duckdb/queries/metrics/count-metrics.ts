import type { MetricTerm, QuantileSpread } from '../../../store/metric-queries.ts';
import {
  type BounceMetric,
  type FunnelMetric,
  isBounce,
  isFunnel,
  isQuantile,
  isReturn,
  isValued,
  MetricSignals,
  type QuantileMetric,
  type ReturnMetric,
  type ValuedMetric,
} from '../../../store/metric-signals.ts';
import { type Counted, CountedMetrics, type Sum } from '../../../store/metric-sums.ts';
import { createTemporary, recordsOf } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import type { SumType } from '../split-tests/group-rows.ts';
import { bounceStatement } from './bounce-statement.ts';
import { funnelStatement } from './funnel-statement.ts';
import { MetricEvents } from './metric-events.ts';
import { createMetricValues, haveBots, quantileSpreads } from './metric-quantiles.ts';
import { MetricTables } from './metric-tables.ts';
import { isOver } from './metric-times.ts';
import type { Entries, MetricVisitors, Part, Parts } from './metric-visitors.ts';
import { returnEvents, returningStatement, unresolvedExposures } from './returning-visitors.ts';
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

/** How much more memory bounces take than only visitors and conversions. */
const BOUNCE_MEMORY = 2;

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
  readonly #returns: readonly ReturnMetric[];
  readonly #bounces: readonly BounceMetric[];
  readonly #valued: readonly ValuedMetric[];
  readonly #funnels: readonly FunnelMetric[];
  readonly #quantiles: readonly QuantileMetric[];

  constructor(context: QueryContext, visitors: MetricVisitors, query: MetricsQuery, results: MetricResults) {
    const { metrics } = query;
    this.#context = context;
    this.#query = query;
    this.#results = results;
    this.#tables = new MetricTables(context.connection, visitors);
    this.#returns = metrics.filter(isReturn);
    this.#bounces = metrics.filter(isBounce);
    const others = metrics.filter((it) => !isReturn(it) && !isBounce(it));
    this.#valued = others.filter(isValued);
    this.#funnels = others.filter(isFunnel);
    this.#quantiles = others.filter(isQuantile);
    this.#events = new MetricEvents(context, others, query.until);
  }

  async run(): Promise<void> {
    const { connection, maxMetricVisitors, signal } = this.#context;
    const { visitors } = this.#tables;
    const entries = await visitors.entries(connection);
    if (entries === undefined) return;
    const unresolved = [
      ...this.#events.unresolved(visitors.property),
      ...(this.#returns.length > 0 ? [unresolvedExposures(visitors.property)] : []),
    ];
    const parts = partsOf(maxMetricVisitors, entries.rows);
    await this.#tables.createUnits(unresolved, parts, signal);
    await this.#createEvents(entries);
    await this.#countVisitors();
    for (const part of parts) {
      signal?.throwIfAborted();
      await this.#countPart(part);
    }
    await this.#countBounces(entries);
    for (const [index, metric] of this.#quantiles.entries()) await this.#addSpreads(metric, index, parts);
  }

  async #createEvents(entries: Entries): Promise<void> {
    const { connection } = this.#context;
    const { now, until } = this.#query;
    if (this.#needsSessions) await this.#tables.createSessions();
    if (this.#valued.length + this.#funnels.length + this.#quantiles.length > 0) {
      await this.#events.create(this.#tables, entries);
      await createMetricValues(connection, this.#events, this.#quantiles, { now, until });
    }
    if (this.#returns.length > 0) {
      const sql = returnEvents(this.#returns, this.#tables, { now, until, entries });
      await createTemporary(connection, 'metric_returns', { sql, values: [] });
    }
  }

  /** Groups by visitor: not all fit into memory. */
  async #countPart(part: Part | undefined): Promise<void> {
    const { connection } = this.#context;
    if (this.#valued.length > 0) {
      const statement = valuedStatement(this.#valued, this.#events, { ...this.#query, part });
      this.#addColumns(this.#valued, await recordsOf<SumRow>(connection, statement));
    }
    await this.#countFunnels(part);
    if (this.#returns.length > 0) {
      const statement = returningStatement(this.#returns, part);
      this.#addColumns(this.#returns, await recordsOf<SumRow>(connection, statement));
    }
  }

  /** In smaller parts: the first page view of each session, by several columns, has to stay in memory. */
  async #countBounces(entries: Entries): Promise<void> {
    const { connection, maxVisitors, signal } = this.#context;
    if (this.#bounces.length === 0) return;
    for (const part of partsOf(maxVisitors / BOUNCE_MEMORY, entries.rows)) {
      signal?.throwIfAborted();
      const scope = { ...this.#query, entries, part };
      const { sql, values } = bounceStatement(this.#context, this.#tables.visitors, this.#bounces, scope);
      this.#addColumns(this.#bounces, await recordsOf<SumRow>(connection, sql, values));
    }
  }

  get #needsSessions(): boolean {
    return this.#events.needsCollected || this.#returns.length > 0 || this.#bounces.length > 0;
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

  async #countFunnels(part: Part | undefined): Promise<void> {
    for (const metric of this.#funnels) {
      this.#context.signal?.throwIfAborted();
      const rows = await recordsOf<{ step: number; kind: Kind; visitors: bigint }>(
        this.#context.connection,
        funnelStatement(metric, this.#events, { now: this.#query.now, part }),
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

  async #addSpreads(metric: QuantileMetric, index: number, parts: Parts): Promise<void> {
    const { connection, signal } = this.#context;
    const { visitors } = this.#tables;
    const all = await quantileSpreads(connection, visitors, metric, { index, parts, includeBots: true });
    signal?.throwIfAborted();
    const people = (await haveBots(connection, visitors, index))
      ? await quantileSpreads(connection, visitors, metric, { index, parts, includeBots: false })
      : all;
    this.#results.quantiles.push({ metric, includeBots: true, spreads: all });
    this.#results.quantiles.push({ metric, includeBots: false, spreads: people });
  }
}

/** As many as the memory requires. */
function partsOf(max: number, rows: number): Parts {
  const parts = 2 ** Math.ceil(Math.log2(rows / max));
  if (parts <= 1) return [undefined];
  return Array.from({ length: parts }, (_, index) => ({ index, of: parts }));
}

type SumRow = Record<string, Sum | null>;

const COLUMNS = ['reached', 'sum', 'squares', 'otherSum', 'otherSquares', 'product'] as const;
