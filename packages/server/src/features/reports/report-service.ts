import type { SplitTestResults, SplitTestResultsQuery } from '@switchyard/core/api/results';
import { buildReport } from '@switchyard/core/stats/report';
import type { ReportInput } from '@switchyard/core/stats/report-input';
import type { EventQuestions } from '../../storage/event-log.ts';
import type { SplitTestQuery } from '../../storage/event-store.ts';
import { resultsAnswer } from './report-answer.ts';
import { breakdownAnswer } from './report-breakdown.ts';
import { questionOf, type ReportScope, reportInput } from './report-scope.ts';
import { seriesAnswer } from './report-series.ts';
import type { ReportSnapshots, Snapshot } from './report-snapshots.ts';

export type ReportQuestions = Pick<
  EventQuestions,
  'splitTestCounts' | 'splitTestSeries' | 'splitTestFeedback' | 'goalBaseline'
>;

type Options = Pick<SplitTestResultsQuery, 'bots' | 'by' | 'include' | 'fresh'>;

const FEEDBACK_MESSAGES = 20;

/** How a question is asked. */
interface Taking<T = unknown> {
  fresh: boolean;
  exposures: (value: T) => number;
}

const exposuresIn = ({ exposures }: Pick<ReportInput, 'exposures'>) =>
  exposures.reduce((sum, it) => sum + it.exposures, 0);

/** Reports on split tests, each question to the event store asked once for as long as its answer holds. */
export class ReportService {
  readonly #questions: ReportQuestions;
  readonly #snapshots: ReportSnapshots;

  constructor(questions: ReportQuestions, snapshots: ReportSnapshots) {
    this.#questions = questions;
    this.#snapshots = snapshots;
  }

  async results(
    scope: ReportScope,
    { bots = 'exclude', by, include, fresh = false }: Options,
  ): Promise<SplitTestResults> {
    const includeBots = bots === 'include';
    const input = await this.input(scope, includeBots, fresh);
    const taking = { fresh, exposures: () => exposuresIn(input) };
    const parts = new Set(include?.split(','));
    return {
      ...resultsAnswer(scope, buildReport(input), input.asOf, bots),
      ...(by === undefined ? {} : { breakdown: await this.#breakdown(scope, by, includeBots, taking) }),
      ...(parts.has('series') ? { series: await this.#series(scope, includeBots, taking) } : {}),
      ...(parts.has('feedback') ? { feedback: await this.#feedback(scope, taking) } : {}),
    };
  }

  /** All that a report is computed from. */
  async input(scope: ReportScope, includeBots: boolean, fresh = false): Promise<ReportInput> {
    const question = questionOf(scope);
    const { value, asOf } = await this.#ask('splitTestCounts', question, { fresh, exposures: exposuresIn });
    return reportInput(scope, value, asOf, includeBots);
  }

  async #breakdown(scope: ReportScope, by: string, includeBots: boolean, taking: Taking) {
    const { value, asOf } = await this.#ask('splitTestCounts', { ...questionOf(scope), by }, taking);
    return breakdownAnswer(scope, by, value, asOf, includeBots);
  }

  async #series(scope: ReportScope, includeBots: boolean, taking: Taking) {
    const { value } = await this.#ask('splitTestSeries', questionOf(scope), taking);
    return seriesAnswer(scope, value, includeBots);
  }

  async #feedback(scope: ReportScope, taking: Taking): Promise<SplitTestResults['feedback']> {
    const { goalIds, revenueGoalIds, earlyDays, preDays, winsorize, by, ...question } = questionOf(scope);
    const { value } = await this.#ask(
      'splitTestFeedback',
      { ...question, messages: FEEDBACK_MESSAGES },
      taking,
    );
    return value.map(({ variationKey, ...said }) => ({ key: variationKey, ...said }));
  }

  #ask<Method extends 'splitTestCounts' | 'splitTestSeries' | 'splitTestFeedback'>(
    method: Method,
    question: Parameters<ReportQuestions[Method]>[0] & Partial<SplitTestQuery>,
    taking: Taking<Awaited<ReturnType<ReportQuestions[Method]>>>,
  ): Promise<Snapshot<Awaited<ReturnType<ReportQuestions[Method]>>>> {
    const ask = this.#questions[method] as (query: object) => Promise<never>;
    const key = JSON.stringify([method, question]);
    return this.#snapshots.get({ key, take: () => ask(question), ...taking });
  }
}
