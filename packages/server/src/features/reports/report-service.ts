import type { HoldoutReport } from '@switchyard/core/api/holdout';
import type { Impact } from '@switchyard/core/api/impact';
import type { MetricPreview } from '@switchyard/core/api/metrics';
import type { SplitTestResults } from '@switchyard/core/api/results';
import type { PlanResponse } from '@switchyard/core/api/test-plan';
import type { RegexCompiler } from '@switchyard/core/evaluation/operators';
import type { ComparisonSettings } from '@switchyard/core/stats/report/goal-comparison';
import { buildReport, comparedCounts, settingsFor } from '@switchyard/core/stats/report/report';
import type { ReportInput } from '@switchyard/core/stats/report/report-input';
import type { AssignmentCounts } from '../../events/store/assignment-queries.ts';
import type { EventQueries } from '../../events/store/event-store.ts';
import type { SplitTestQuery } from '../../events/store/split-test-queries.ts';
import { aaReport } from './aa-report.ts';
import { audienceShare } from './audience-share.ts';
import { startChecklist } from './decision/start-checklist.ts';
import { evaluatedFlags, explainedAudience, explainedFlag } from './evaluated-flags.ts';
import { harmResponse } from './harm-report.ts';
import { holdoutResponse } from './holdout-scope.ts';
import { impactReport } from './impact-report.ts';
import { libraryReport } from './library/library-report.ts';
import { overlapReport } from './overlap/overlap-report.ts';
import { metricPreview, PREVIEW_DAYS } from './plan/metric-preview.ts';
import { outcomeBaseline } from './plan/planned-outcome.ts';
import { planPeriod, planResponse } from './plan/test-plan.ts';
import { breakdownResponse } from './report-breakdown.ts';
import { bundleOf } from './report-bundle.ts';
import { countsCsv } from './report-csv.ts';
import { type CachePolicy, exposuresIn, ReportInputs } from './report-inputs.ts';
import type { ReportRequest } from './report-request.ts';
import { type ResultFigures, resultsResponse, wholeTestOnly } from './report-response.ts';
import { phaseOfQuery, type ReportScope } from './report-scope.ts';
import { seriesResponse } from './report-series.ts';
import { maxSegments, seriesDays } from './report-size.ts';
import type { ReportSnapshots } from './report-snapshots.ts';
import { rolloutLook } from './rollout/rollout-look.ts';
import { rolloutResponse } from './rollout/rollout-response.ts';
import { sessionFlagValues } from './session-flag-values.ts';

type RequestOf<Type extends ReportRequest['type']> = ReportRequest & { type: Type };

interface ReportText {
  contentType: string;
  text: string;
}

const MAX_FEEDBACK_MESSAGES = 20;

const visitorsIn = ({ groups }: AssignmentCounts) => groups.reduce((sum, { visitors }) => sum + visitors, 0);

/** Computes reports on split tests. Query results are cached. */
export class ReportService {
  readonly #eventStore: EventQueries;
  readonly #inputs: ReportInputs;
  readonly #regex: RegexCompiler;
  #lastReplay: Promise<unknown> = Promise.resolve();

  constructor(eventStore: EventQueries, snapshots: ReportSnapshots, regex: RegexCompiler) {
    this.#eventStore = eventStore;
    this.#inputs = new ReportInputs(eventStore, snapshots);
    this.#regex = regex;
  }

  /** @param changes increases whenever query results may have changed */
  async run(request: ReportRequest, changes: number, signal?: AbortSignal): Promise<ReportText> {
    switch (request.type) {
      case 'results':
        return json(await this.#results(request, changes));
      case 'verdict':
        return json(await this.#verdict(request, changes));
      case 'harm':
        return json(harmResponse(request.scope, await this.#input(request, changes)));
      case 'rollout':
        return json(await rolloutLook(this.#inputs, request.scope, changes));
      case 'rollout-report': {
        const look = await rolloutLook(this.#inputs, request.scope, changes);
        return json(rolloutResponse(request.configured, request.scope, look));
      }
      case 'bundle':
        return json(bundleOf(request.scope, request, await this.#input(request, changes)));
      case 'csv': {
        const { test, phase } = request.scope;
        const report = buildReport(await this.#input(request, changes));
        return { contentType: 'text/csv; charset=utf-8', text: countsCsv(test.key, phase?.number, report) };
      }
      case 'plan':
        return json(await this.#plan(request, signal));
      case 'start-checklist':
        return json(await this.#checklist(request, signal));
      case 'metric-preview':
        return json(await this.#metricPreview(request, signal));
      case 'aa-test':
        return json(await aaReport(this.#eventStore, request.scope));
      case 'holdout':
        return json(await this.#holdout(request, changes));
      case 'overlap': {
        const { scope, fresh } = request;
        return json(await overlapReport(this.#inputs, scope, { changes, fresh }, signal));
      }
      case 'library':
        return json(await libraryReport(this.#inputs, request.scope, changes, signal));
      case 'impact':
        return json(await this.#impact(request, signal));
      case 'flag-explanation':
        return json(explainedFlag(request.key, request, this.#regex));
      case 'audience-explanation':
        return json(explainedAudience(request, this.#regex));
      case 'flag-values':
        return json(evaluatedFlags(request, this.#regex));
      case 'session-flag-values':
        return json(await sessionFlagValues(this.#eventStore, request, this.#regex));
    }
  }

  async #results(request: RequestOf<'results'>, changes: number): Promise<SplitTestResults> {
    const { decisionRule } = request;
    const figures = await this.#figures(request, changes);
    return decisionRule === undefined ? figures : { ...figures, decisionRule };
  }

  async #figures(
    { scope, options }: Pick<RequestOf<'results'>, 'scope' | 'options'>,
    changes: number,
  ): Promise<ResultFigures> {
    const { bots = 'exclude', by, include, fresh = false } = options;
    const includeBots = bots === 'include';
    const policy = { changes, fresh };
    const { input, query } = await this.#inputs.prepare(scope, includeBots, policy);
    const details: Details = {
      scope,
      query,
      includeBots,
      policy: { ...policy, exposures: () => exposuresIn(input) },
      settings: settingsFor(input, comparedCounts(input)),
    };
    const parts = new Set(include?.split(','));
    return {
      ...resultsResponse(scope, buildReport(input), input.asOf, bots),
      ...(by !== undefined || parts.has('series') ? wholeTestOnly(scope) : {}),
      ...(by === undefined ? {} : { breakdown: await this.#breakdown(details, by) }),
      ...(parts.has('series') ? await this.#series(details) : {}),
      ...(parts.has('feedback') ? { feedback: await this.#feedback(details) } : {}),
    };
  }

  async #verdict(
    { scope }: RequestOf<'verdict'>,
    changes: number,
  ): Promise<Pick<SplitTestResults, 'asOf' | 'verdict' | 'health'>> {
    const { asOf, verdict, health } = await this.#figures({ scope, options: {} }, changes);
    return { asOf, verdict, health };
  }

  /** The complete input of a report. */
  async #input(
    { scope, bots }: Pick<RequestOf<'csv'>, 'scope'> & Partial<Pick<RequestOf<'csv'>, 'bots'>>,
    changes: number,
  ): Promise<ReportInput> {
    const { input } = await this.#inputs.prepare(scope, bots === 'include', { changes, fresh: false });
    return input;
  }

  async #breakdown({ scope, query, includeBots, policy, settings }: Details, attribute: string) {
    // Early and late visitors are only compared for the health of the whole test.
    const segmented = { ...query, earlyDays: 0, by: { attributes: [attribute], max: maxSegments(scope) } };
    const { value, asOf } = await this.#inputs.query('splitTestCounts', [segmented], policy);
    return breakdownResponse(scope, attribute, value, asOf, includeBots, settings);
  }

  async #series({ scope, query, includeBots, policy, settings }: Details) {
    const days = seriesDays(scope);
    const { value } = await this.#inputs.query('splitTestSeries', [{ ...query, days }], policy);
    return {
      timeZone: days.timeZone,
      series: seriesResponse(scope, days, value, includeBots, settings),
    };
  }

  async #feedback({ scope, policy }: Details): Promise<SplitTestResults['feedback']> {
    const { propertyId } = scope.query;
    const query = { propertyId, ...phaseOfQuery(scope.query), messages: MAX_FEEDBACK_MESSAGES };
    const { value } = await this.#inputs.query('splitTestFeedback', [query], policy);
    return value.map(({ variationKey, ...feedback }) => ({ key: variationKey, ...feedback }));
  }

  async #plan(
    { property, outcome, guardrails, query, audience }: RequestOf<'plan'>,
    signal: AbortSignal | undefined,
  ): Promise<PlanResponse> {
    const { days = 28 } = query;
    const recently = { propertyId: property.id, ...planPeriod(days, Date.now()) };
    const baseline = await outcomeBaseline(this.#eventStore, outcome, recently, signal);
    const guarded = [];
    for (const guardrail of guardrails) {
      const known = await outcomeBaseline(this.#eventStore, guardrail.outcome, recently, signal);
      guarded.push({ ...guardrail, baseline: known });
    }
    const { id: propertyId, timeZone } = property;
    const period = { propertyId, timeZone, days };
    const share = audience
      ? await this.#replay(
          () => audienceShare(this.#eventStore, period, audience, this.#regex, signal),
          signal,
        )
      : null;
    return planResponse(property, outcome, query, { recent: baseline, guardrails: guarded, audience: share });
  }

  async #metricPreview(
    { property, metric }: RequestOf<'metric-preview'>,
    signal: AbortSignal | undefined,
  ): Promise<MetricPreview> {
    const period = { propertyId: property.id, ...planPeriod(PREVIEW_DAYS, Date.now()) };
    return metricPreview(
      property,
      metric,
      await outcomeBaseline(this.#eventStore, metric.outcome, period, signal),
    );
  }

  #checklist({ scope }: RequestOf<'start-checklist'>, signal: AbortSignal | undefined) {
    const run = () => startChecklist(this.#eventStore, scope, this.#regex, signal);
    return scope.audience ? this.#replay(run, signal) : run();
  }

  async #holdout({ scope, fresh }: RequestOf<'holdout'>, changes: number): Promise<HoldoutReport> {
    const policy = { changes, fresh, exposures: visitorsIn };
    const { value, asOf } = await this.#inputs.query('assignmentCounts', [scope.query], policy);
    return holdoutResponse(scope, value, asOf);
  }

  #impact({ scope }: RequestOf<'impact'>, signal: AbortSignal | undefined): Promise<Impact> {
    return this.#replay(() => impactReport(this.#eventStore, scope, this.#regex, signal), signal);
  }

  /** One at a time, because each can take much of the memory. */
  #replay<T>(run: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const report = this.#lastReplay.then(() => {
      signal?.throwIfAborted();
      return run();
    });
    this.#lastReplay = report.catch(() => undefined);
    return report;
  }
}

/** What the parts of a report are made of. */
interface Details {
  readonly scope: ReportScope;
  /** Of the visitors that the goals are evaluated with. */
  readonly query: SplitTestQuery;
  readonly includeBots: boolean;
  readonly policy: CachePolicy & { readonly exposures: () => number };
  readonly settings: ComparisonSettings;
}

const json = (content: object | null): ReportText => ({
  contentType: 'application/json; charset=utf-8',
  text: JSON.stringify(content),
});
