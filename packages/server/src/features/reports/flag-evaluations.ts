import type { FlagValue } from '@switchyard/core/api/targeting';
import type { Context } from '@switchyard/core/evaluation/attribute-values';
import { type ExplainedFlag, explainFlag } from '@switchyard/core/evaluation/explain-flag';
import { compileFlags, type Evaluation } from '@switchyard/core/evaluation/flags';
import type { RegexCompiler } from '@switchyard/core/evaluation/operators';
import {
  attributesOf,
  type Targeting,
  TargetingIndex,
  unknownAttributes,
} from '@switchyard/core/evaluation/used-attributes';
import type { ReportRunner } from './report-runner.ts';
import type { SessionFlagValuesInput } from './session-flag-values.ts';
import { shortSteps } from './short-steps.ts';

/** Flags and a context to evaluate them with. */
export interface EvaluationInput {
  targeting: Targeting;
  context: Context;
}

/** The value of a flag, and which attributes were missing. */
export interface EvaluatedFlag {
  key: string;
  evaluation: Evaluation;
  unknown: string[];
}

/**
 * Evaluates flags that are not compiled yet: definitions of the past, and some that were never saved. On the report
 * thread, because the caller decides how much work they are.
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

/** On the report thread. */
export function explainedFlag(
  key: string,
  { targeting, context }: EvaluationInput,
  regex: RegexCompiler,
): ExplainedFlag | null {
  const explained = explainFlag(key, targeting, context, { regex });
  return explained ? { ...explained, steps: shortSteps(explained.steps) } : null;
}

/** On the report thread. */
export function evaluatedFlags(
  { targeting, context }: EvaluationInput,
  regex: RegexCompiler,
): EvaluatedFlag[] {
  const set = compileFlags(targeting.flags, targeting.segments, { regex });
  const index = new TargetingIndex(targeting);
  return targeting.flags.map(({ key }) => ({
    key,
    evaluation: set.evaluate(key, context)!,
    unknown: unknownAttributes(attributesOf(index.neededFor([key])), context),
  }));
}
