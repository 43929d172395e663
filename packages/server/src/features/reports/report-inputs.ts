import { finishedEffects, learnPrior } from '@switchyard/core/stats/report/learned-prior';
import { totalVisitors, variationCounts } from '@switchyard/core/stats/report/report-counts';
import type { LearnedPrior, ReportInput } from '@switchyard/core/stats/report/report-input';
import { endsAtPlan } from '@switchyard/core/stats/report/report-method';
import { DAY_MS } from '@switchyard/core/time';
import type { EventQueries } from '../../events/store/event-store.ts';
import type { MetricCounts, SplitTestMetricsQuery } from '../../events/store/metric-queries.ts';
import type { SplitTestQuery } from '../../events/store/split-test-queries.ts';
import { windowOf } from './metric-terms.ts';
import { type ReportScope, reportInput } from './report-scope.ts';
import type { ReportSnapshots, Snapshot } from './report-snapshots.ts';

type CachedQuery =
  | 'splitTestCounts'
  | 'splitTestSeries'
  | 'splitTestEntry'
  | 'splitTestFeedback'
  | 'splitTestMetrics'
  | 'assignmentCounts';

/** Which cached counts may be used. */
export interface CachePolicy {
  /** Increases whenever query results may have changed. */
  readonly changes: number;
  readonly fresh: boolean;
  /** Counts up to this age may be used, whatever has happened since; default: none. */
  readonly maxAgeMs?: number;
}

/** The size of a report, by which its counts are cached. */
export const exposuresIn = ({ exposures }: Pick<ReportInput, 'exposures'>) =>
  exposures.reduce((sum, it) => sum + it.exposures, 0);

/** A report's input, and the query that its goals are evaluated with. */
interface PreparedInput {
  readonly input: ReportInput;
  readonly query: SplitTestQuery;
}

/** Gathers the input of reports from the event store. Query results are cached. */
export class ReportInputs {
  readonly #eventStore: EventQueries;
  readonly #snapshots: ReportSnapshots;

  constructor(eventStore: EventQueries, snapshots: ReportSnapshots) {
    this.#eventStore = eventStore;
    this.#snapshots = snapshots;
  }

  async prepare(scope: ReportScope, includeBots: boolean, policy: CachePolicy): Promise<PreparedInput> {
    const { value, asOf } = await this.counts(scope.query, policy);
    const metrics = await this.#metrics(scope, scope.query, policy, () => exposuresIn(value));
    const learnedPrior = await this.#learnedPrior(scope, includeBots, policy);
    const input = {
      ...reportInput(scope, { ...value, metrics }, asOf, includeBots),
      ...(learnedPrior && { learnedPrior }),
    };
    const at = await this.#plannedEnd(scope, input, policy);
    if (at === undefined) return { input, query: scope.query };
    // As if the test had ended after that millisecond.
    const endsAt = at + 1;
    const until = Math.min(scope.query.until, endsAt + scope.test.attributionDays * DAY_MS);
    const query = { ...scope.query, endsAt, until };
    const { groups } = (await this.counts(query, policy)).value;
    const then = await this.#metrics(scope, query, policy, () => exposuresIn(value));
    const plannedEnd = { at, groups, ...(then && { metrics: then }) };
    return { input: { ...input, plannedEnd }, query };
  }

  /** What was counted for the metrics of a test; undefined if it has none. */
  async #metrics(
    { metrics }: Pick<ReportScope, 'metrics'>,
    query: SplitTestQuery,
    policy: CachePolicy,
    exposures: () => number,
  ): Promise<MetricCounts | undefined> {
    if (metrics.length === 0) return undefined;
    const { value } = await this.query('splitTestMetrics', [metricsQuery(query, metrics)], {
      ...policy,
      exposures,
    });
    return value;
  }

  /** When a method that ends at the plan had all of its visitors; undefined until there are more. */
  async #plannedEnd(
    { query }: ReportScope,
    input: ReportInput,
    policy: CachePolicy,
  ): Promise<number | undefined> {
    const { plannedVisitors } = input;
    if (plannedVisitors === null || !endsAtPlan(input)) return undefined;
    if (totalVisitors(variationCounts(input)) <= plannedVisitors) return undefined;
    const active = input.variations.filter(({ retired }) => !retired).map(({ key }) => key);
    const among = active.length < input.variations.length ? { among: active } : {};
    const { value } = await this.query('splitTestEntry', [{ ...query, ...among }, plannedVisitors], {
      ...policy,
      exposures: () => exposuresIn(input),
    });
    return value;
  }

  async #learnedPrior(
    { finished }: ReportScope,
    includeBots: boolean,
    policy: CachePolicy,
  ): Promise<LearnedPrior | undefined> {
    const effects = [];
    for (const scope of finished) {
      const { value, asOf } = await this.counts(scope.query, { ...policy, fresh: false });
      const metrics = await this.#metrics(scope, scope.query, { ...policy, fresh: false }, () =>
        exposuresIn(value),
      );
      effects.push(finishedEffects(reportInput(scope, { ...value, metrics }, asOf, includeBots)));
    }
    return learnPrior(effects);
  }

  counts(query: SplitTestQuery, policy: CachePolicy) {
    return this.query('splitTestCounts', [query], { ...policy, exposures: exposuresIn });
  }

  query<Method extends CachedQuery>(
    method: Method,
    args: Parameters<EventQueries[Method]>,
    policy: CachePolicy & { exposures: (value: Awaited<ReturnType<EventQueries[Method]>>) => number },
  ): Promise<Snapshot<Awaited<ReturnType<EventQueries[Method]>>>> {
    const run = this.#eventStore[method] as (...args: unknown[]) => Promise<never>;
    const key = JSON.stringify([method, ...args]);
    return this.#snapshots.get({ key, take: () => run(...args), ...policy });
  }
}

/** Windows end with time, without any new event: counts are repeated after this long at the latest. */
const WINDOW_STEP_MS = 10 * 60 * 1000;

/** The same within a step, and once all windows have ended, so that its result can be cached. */
function metricsQuery(
  query: SplitTestQuery,
  metrics: SplitTestMetricsQuery['metrics'],
): SplitTestMetricsQuery {
  const longest = Math.max(...metrics.map((term) => windowOf(term) ?? 0));
  const now = Math.floor(Date.now() / WINDOW_STEP_MS) * WINDOW_STEP_MS;
  const {
    goalIds: _goalIds,
    revenueGoalIds: _revenueGoalIds,
    feedback: _feedback,
    by: _by,
    winsorize: _winsorize,
    preDays: _preDays,
    earlyDays: _earlyDays,
    ...visitors
  } = query;
  // Whoever is exposed in a later phase is followed no longer, so only windows that ended with the phase are complete.
  const end = query.hasLaterPhases ? query.endsAt : query.endsAt + longest;
  return { ...visitors, metrics, now: longest === 0 ? query.startedAt : Math.min(now, end) };
}
