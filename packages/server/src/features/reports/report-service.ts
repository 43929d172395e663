import type { Impact } from '@switchyard/core/api/impact';
import type { SplitTestResults } from '@switchyard/core/api/results';
import type { PlanResponse } from '@switchyard/core/api/test-plan';
import type { RegexCompiler } from '@switchyard/core/evaluation/operators';
import { type ComparisonSettings, comparisonSettings } from '@switchyard/core/stats/report/goal-comparison';
import { buildReport } from '@switchyard/core/stats/report/report';
import { variationCounts } from '@switchyard/core/stats/report/report-counts';
import type { ReportInput } from '@switchyard/core/stats/report/report-input';
import type { SplitTestQuery } from '../../storage/event-store.ts';
import type { ReportQueries } from '../../storage/event-store-client.ts';
import { aaReport } from './aa-report.ts';
import { evaluatedFlags, explainedFlag } from './flag-evaluations.ts';
import { impactReport } from './impact-report.ts';
import { breakdownResponse } from './report-breakdown.ts';
import { bundleOf } from './report-bundle.ts';
import { countsCsv } from './report-csv.ts';
import type { ReportRequest } from './report-request.ts';
import { resultsResponse } from './report-response.ts';
import { type ReportScope, reportInput } from './report-scope.ts';
import { seriesResponse } from './report-series.ts';
import { maxSegments, seriesDays } from './report-size.ts';
import type { ReportSnapshots, Snapshot } from './report-snapshots.ts';
import { sessionFlagValues } from './session-flag-values.ts';
import { planPeriod, planResponse } from './test-plan.ts';

type RequestOf<Type extends ReportRequest['type']> = ReportRequest & { type: Type };

interface ReportText {
  contentType: string;
  text: string;
}

const MAX_FEEDBACK_MESSAGES = 20;

interface CachePolicy<T = unknown> {
  changes: number;
  fresh: boolean;
  exposures: (value: T) => number;
}

const exposuresIn = ({ exposures }: Pick<ReportInput, 'exposures'>) =>
  exposures.reduce((sum, it) => sum + it.exposures, 0);

/** Computes reports on split tests. Query results are cached. */
export class ReportService {
  readonly #eventStore: ReportQueries;
  readonly #snapshots: ReportSnapshots;
  readonly #regex: RegexCompiler;
  #lastImpact: Promise<unknown> = Promise.resolve();

  constructor(eventStore: ReportQueries, snapshots: ReportSnapshots, regex: RegexCompiler) {
    this.#eventStore = eventStore;
    this.#snapshots = snapshots;
    this.#regex = regex;
  }

  /** @param changes increases whenever query results may have changed */
  async run(request: ReportRequest, changes: number, signal?: AbortSignal): Promise<ReportText> {
    switch (request.type) {
      case 'results':
        return json(await this.#results(request, changes));
      case 'verdict':
        return json(await this.#verdict(request, changes));
      case 'bundle':
        return json(bundleOf(request.scope, request.definition, await this.#input(request, changes)));
      case 'csv': {
        const { test, phase } = request.scope;
        const report = buildReport(await this.#input(request, changes));
        return { contentType: 'text/csv; charset=utf-8', text: countsCsv(test.key, phase?.number, report) };
      }
      case 'plan':
        return json(await this.#plan(request));
      case 'aa-test':
        return json(await aaReport(this.#eventStore, request.scope));
      case 'impact':
        return json(await this.#impact(request, signal));
      case 'flag-explanation':
        return json(explainedFlag(request.key, request, this.#regex));
      case 'flag-values':
        return json(evaluatedFlags(request, this.#regex));
      case 'session-flag-values':
        return json(await sessionFlagValues(this.#eventStore, request, this.#regex));
    }
  }

  async #results({ scope, options }: RequestOf<'results'>, changes: number): Promise<SplitTestResults> {
    const { bots = 'exclude', by, include, fresh = false } = options;
    const includeBots = bots === 'include';
    const input = await this.#input({ scope, bots }, changes, fresh);
    const policy = { changes, fresh, exposures: () => exposuresIn(input) };
    const parts = new Set(include?.split(','));
    const settings = comparisonSettings(
      input,
      variationCounts(input, () => true),
    );
    return {
      ...resultsResponse(scope, buildReport(input), input.asOf, bots),
      ...(by === undefined
        ? {}
        : { breakdown: await this.#breakdown(scope, by, includeBots, policy, settings) }),
      ...(parts.has('series') ? { series: await this.#series(scope, includeBots, policy, settings) } : {}),
      ...(parts.has('feedback') ? { feedback: await this.#feedback(scope, policy) } : {}),
    };
  }

  async #verdict(
    { scope }: RequestOf<'verdict'>,
    changes: number,
  ): Promise<Pick<SplitTestResults, 'asOf' | 'verdict' | 'health'>> {
    const { asOf, verdict, health } = await this.#results({ type: 'results', scope, options: {} }, changes);
    return { asOf, verdict, health };
  }

  /** The complete input of a report. */
  async #input(
    { scope, bots }: Pick<RequestOf<'csv'>, 'scope' | 'bots'>,
    changes: number,
    fresh = false,
  ): Promise<ReportInput> {
    const policy = { changes, fresh, exposures: exposuresIn };
    const { value, asOf } = await this.#query('splitTestCounts', scope.query, policy);
    return reportInput(scope, value, asOf, bots === 'include');
  }

  async #breakdown(
    scope: ReportScope,
    attribute: string,
    includeBots: boolean,
    policy: CachePolicy,
    settings: ComparisonSettings,
  ) {
    // Early and late visitors are only compared for the health of the whole test.
    const query = { ...scope.query, earlyDays: 0, by: { attribute, max: maxSegments(scope) } };
    const { value, asOf } = await this.#query('splitTestCounts', query, policy);
    return breakdownResponse(scope, attribute, value, asOf, includeBots, settings);
  }

  async #series(scope: ReportScope, includeBots: boolean, policy: CachePolicy, settings: ComparisonSettings) {
    const days = seriesDays(scope);
    const { value } = await this.#query('splitTestSeries', { ...scope.query, days }, policy);
    return seriesResponse(scope, days, value, includeBots, settings);
  }

  async #feedback({ query }: ReportScope, policy: CachePolicy): Promise<SplitTestResults['feedback']> {
    const {
      startedAt,
      days,
      goalIds,
      revenueGoalIds,
      feedback,
      earlyDays,
      preDays,
      winsorize,
      by,
      ...scope
    } = query;
    const { value } = await this.#query(
      'splitTestFeedback',
      { ...scope, messages: MAX_FEEDBACK_MESSAGES },
      policy,
    );
    return value.map(({ variationKey, ...feedback }) => ({ key: variationKey, ...feedback }));
  }

  async #plan({ property, goal, query }: RequestOf<'plan'>): Promise<PlanResponse> {
    const period = planPeriod(query.days ?? 28, Date.now());
    const isRevenue = goal.kind === 'revenue';
    const baseline = await this.#eventStore.goalBaseline({
      ...{ propertyId: property.id, goalId: goal.id, isRevenue },
      ...period,
    });
    return planResponse(property, goal, query, baseline);
  }

  /** One at a time, because each can take much of the memory. */
  #impact({ scope }: RequestOf<'impact'>, signal: AbortSignal | undefined): Promise<Impact> {
    const report = this.#lastImpact.then(() => {
      signal?.throwIfAborted();
      return impactReport(this.#eventStore, scope, this.#regex, signal);
    });
    this.#lastImpact = report.catch(() => undefined);
    return report;
  }

  #query<Method extends 'splitTestCounts' | 'splitTestSeries' | 'splitTestFeedback'>(
    method: Method,
    query: Parameters<ReportQueries[Method]>[0] & Partial<SplitTestQuery>,
    policy: CachePolicy<Awaited<ReturnType<ReportQueries[Method]>>>,
  ): Promise<Snapshot<Awaited<ReturnType<ReportQueries[Method]>>>> {
    const run = this.#eventStore[method] as (query: object) => Promise<never>;
    const key = JSON.stringify([method, query]);
    return this.#snapshots.get({ key, take: () => run(query), ...policy });
  }
}

const json = (content: object | null): ReportText => ({
  contentType: 'application/json; charset=utf-8',
  text: JSON.stringify(content),
});
