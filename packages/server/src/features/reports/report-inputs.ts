import { finishedEffects, learnPrior } from '@switchyard/core/stats/report/learned-prior';
import { totalVisitors, variationCounts } from '@switchyard/core/stats/report/report-counts';
import type { LearnedPrior, ReportInput } from '@switchyard/core/stats/report/report-input';
import { endsAtPlan } from '@switchyard/core/stats/report/report-method';
import { DAY_MS } from '@switchyard/core/time';
import type { EventQueries } from '../../events/store/event-store.ts';
import type { SplitTestQuery } from '../../events/store/split-test-queries.ts';
import { type ReportScope, reportInput } from './report-scope.ts';
import type { ReportSnapshots, Snapshot } from './report-snapshots.ts';

type CachedQuery =
  | 'splitTestCounts'
  | 'splitTestSeries'
  | 'splitTestEntry'
  | 'splitTestFeedback'
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
    const learnedPrior = await this.#learnedPrior(scope, includeBots, policy);
    const input = {
      ...reportInput(scope, value, asOf, includeBots),
      ...(learnedPrior && { learnedPrior }),
    };
    const at = await this.#plannedEnd(scope, input, policy);
    if (at === undefined) return { input, query: scope.query };
    // As if the test had ended after that millisecond.
    const endsAt = at + 1;
    const until = Math.min(scope.query.until, endsAt + scope.test.attributionDays * DAY_MS);
    const query = { ...scope.query, endsAt, until };
    const { groups } = (await this.counts(query, policy)).value;
    return { input: { ...input, plannedEnd: { at, groups } }, query };
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
      effects.push(finishedEffects(reportInput(scope, value, asOf, includeBots)));
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
