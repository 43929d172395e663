import type { SplitTestResults, SplitTestResultsQuery } from '@switchyard/core/api/results';
import { buildReport } from '@switchyard/core/stats/report/report';
import type { ReportInput } from '@switchyard/core/stats/report/report-input';
import type { EventStoreClient } from '../../storage/event-log.ts';
import type { SplitTestQuery } from '../../storage/event-store.ts';
import { breakdownResponse } from './report-breakdown.ts';
import { resultsResponse } from './report-response.ts';
import { questionOf, type ReportScope, reportInput } from './report-scope.ts';
import { seriesResponse } from './report-series.ts';
import type { ReportSnapshots, Snapshot } from './report-snapshots.ts';

export type ReportQueries = Pick<
  EventStoreClient,
  'splitTestCounts' | 'splitTestSeries' | 'splitTestFeedback' | 'goalBaseline'
>;

type Options = Pick<SplitTestResultsQuery, 'bots' | 'by' | 'include' | 'fresh'>;

const FEEDBACK_MESSAGES = 20;

/** How a question is asked. */
interface CachePolicy<T = unknown> {
  fresh: boolean;
  exposures: (value: T) => number;
}

const exposuresIn = ({ exposures }: Pick<ReportInput, 'exposures'>) =>
  exposures.reduce((sum, it) => sum + it.exposures, 0);

/** Reports on split tests, each question to the event store asked once for as long as its answer holds. */
export class ReportService {
  readonly #eventStore: ReportQueries;
  readonly #snapshots: ReportSnapshots;

  constructor(eventStore: ReportQueries, snapshots: ReportSnapshots) {
    this.#eventStore = eventStore;
    this.#snapshots = snapshots;
  }

  async results(
    scope: ReportScope,
    { bots = 'exclude', by, include, fresh = false }: Options,
  ): Promise<SplitTestResults> {
    const includeBots = bots === 'include';
    const input = await this.input(scope, includeBots, fresh);
    const policy = { fresh, exposures: () => exposuresIn(input) };
    const parts = new Set(include?.split(','));
    return {
      ...resultsResponse(scope, buildReport(input), input.asOf, bots),
      ...(by === undefined ? {} : { breakdown: await this.#breakdown(scope, by, includeBots, policy) }),
      ...(parts.has('series') ? { series: await this.#series(scope, includeBots, policy) } : {}),
      ...(parts.has('feedback') ? { feedback: await this.#feedback(scope, policy) } : {}),
    };
  }

  /** All that a report is computed from. */
  async input(scope: ReportScope, includeBots: boolean, fresh = false): Promise<ReportInput> {
    const question = questionOf(scope);
    const { value, asOf } = await this.#ask('splitTestCounts', question, { fresh, exposures: exposuresIn });
    return reportInput(scope, value, asOf, includeBots);
  }

  async #breakdown(scope: ReportScope, by: string, includeBots: boolean, policy: CachePolicy) {
    const { value, asOf } = await this.#ask('splitTestCounts', { ...questionOf(scope), by }, policy);
    return breakdownResponse(scope, by, value, asOf, includeBots);
  }

  async #series(scope: ReportScope, includeBots: boolean, policy: CachePolicy) {
    const { value } = await this.#ask('splitTestSeries', questionOf(scope), policy);
    return seriesResponse(scope, value, includeBots);
  }

  async #feedback(scope: ReportScope, policy: CachePolicy): Promise<SplitTestResults['feedback']> {
    const { goalIds, revenueGoalIds, earlyDays, preDays, winsorize, by, ...question } = questionOf(scope);
    const { value } = await this.#ask(
      'splitTestFeedback',
      { ...question, messages: FEEDBACK_MESSAGES },
      policy,
    );
    return value.map(({ variationKey, ...said }) => ({ key: variationKey, ...said }));
  }

  #ask<Method extends 'splitTestCounts' | 'splitTestSeries' | 'splitTestFeedback'>(
    method: Method,
    question: Parameters<ReportQueries[Method]>[0] & Partial<SplitTestQuery>,
    policy: CachePolicy<Awaited<ReturnType<ReportQueries[Method]>>>,
  ): Promise<Snapshot<Awaited<ReturnType<ReportQueries[Method]>>>> {
    const ask = this.#eventStore[method] as (query: object) => Promise<never>;
    const key = JSON.stringify([method, question]);
    return this.#snapshots.get({ key, take: () => ask(question), ...policy });
  }
}
