import type { FlagValue } from '@switchyard/core/api/targeting';
import type { ExplainedAudience } from '@switchyard/core/evaluation/explain-audience';
import type { ExplainedFlag } from '@switchyard/core/evaluation/explain-flag';
import { TargetingIndex } from '@switchyard/core/evaluation/used-attributes';
import type { AudienceInput, EvaluatedFlag, EvaluationInput } from './evaluated-flags.ts';
import type { ReportRunner } from './report-runner.ts';
import type { SessionFlagValuesInput } from './session-flag-values.ts';

/**
 * Evaluates flags and audiences that are not compiled yet: definitions of the past, and some that were never saved. On the
 * report thread, because the caller decides how much work they are.
 */
export class FlagEvaluations {
  readonly #reports: Pick<ReportRunner, 'run'>;

  constructor(reports: Pick<ReportRunner, 'run'>) {
    this.#reports = reports;
  }

  /** Null for a flag that does not exist. */
  async explain(key: string, { targeting, context }: EvaluationInput): Promise<ExplainedFlag | null> {
    const needed = new TargetingIndex(targeting).neededFor([key]);
    return parsed(this.#reports.run({ type: 'flag-explanation', key, targeting: needed, context }));
  }

  explainAudience(input: AudienceInput): Promise<ExplainedAudience> {
    return parsed(this.#reports.run({ type: 'audience-explanation', ...input }));
  }

  evaluateAll({ targeting, context }: EvaluationInput): Promise<EvaluatedFlag[]> {
    return parsed(this.#reports.run({ type: 'flag-values', targeting, context }));
  }

  /** The value of one flag for each session, in order; null if nothing is known of the session. */
  ofSessions(input: SessionFlagValuesInput): Promise<(FlagValue | null)[]> {
    return parsed(this.#reports.run({ type: 'session-flag-values', ...input }));
  }
}

async function parsed<T>(report: Promise<{ body: Uint8Array }>): Promise<T> {
  return JSON.parse(Buffer.from((await report).body).toString()) as T;
}
