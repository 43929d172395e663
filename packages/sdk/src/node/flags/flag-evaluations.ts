import { failure, type Result } from '../../client/result.ts';
import type { Reporter } from '../reporter.ts';
import { contextOf, type FlagContext } from './flag-context.ts';
import { createFlagReport, type FlagUse } from './flag-report.ts';
import type { FlagSource } from './flag-source.ts';
import type { FlagEvaluation } from './flag-state.ts';
import type { RemoteFlags } from './remote-flags.ts';
import type { UsageCounter } from './usage-counter.ts';

export const SYNC_CALL_WITH_REMOTE =
  'Synchronous calls return the fallback with `evaluation: "remote"`. Use `flags.resolve` or `flags.evaluate`.';

export interface FlagDependencies {
  source: FlagSource;
  /** Set with remote evaluation. */
  remote: RemoteFlags | undefined;
  usage: UsageCounter;
  reporter: Reporter;
  timeoutMs: number;
}

/** Results of the evaluator or the service, in which the values of flags with a format are still texts. */
export interface FlagEvaluations {
  /** `undefined` if there is no such flag, or if the flags are not loaded. */
  evaluate(key: string, context: FlagContext | undefined): FlagEvaluation | undefined;
  /** Waits until the flags are loaded or, with remote evaluation, for the service. Default: all flags. */
  evaluateSeveral(
    context: FlagContext | undefined,
    keys?: readonly string[],
  ): Promise<Result<{ flags: Record<string, FlagEvaluation> }>>;
  report(use: FlagUse): void;
}

export function createFlagEvaluations(dependencies: FlagDependencies): FlagEvaluations {
  const { source, remote, usage, reporter, timeoutMs } = dependencies;
  const report = createFlagReport(source, reporter);

  const evaluate: FlagEvaluations['evaluate'] = (key, context) => {
    const { state } = source;
    if (state !== undefined) {
      const attributes = contextOf(context);
      const evaluation = state.evaluate(key, attributes);
      if (evaluation !== undefined) usage.count(key, evaluation);
      if (state.measured.has(key)) usage.expose(state, key, attributes);
      return evaluation;
    }
    if (remote) reporter.misuse(SYNC_CALL_WITH_REMOTE);
    return undefined;
  };

  const evaluateLocally = (context: FlagContext | undefined, keys: readonly string[] | undefined) => {
    const flags: Record<string, FlagEvaluation> = Object.create(null);
    for (const key of keys ?? source.state?.keys ?? []) {
      const evaluation = evaluate(key, context);
      report({ key, kind: undefined, evaluation, context });
      if (evaluation !== undefined) flags[key] = evaluation;
    }
    return flags;
  };

  return {
    evaluate,
    report,
    async evaluateSeveral(context, keys) {
      if (remote) return remote.evaluate(contextOf(context), keys);
      const ready = await source.readyOnce(timeoutMs);
      if (!ready.success) return ready;
      try {
        return { success: true, flags: evaluateLocally(context, keys) };
      } catch (error) {
        return failure('invalid_argument', `Cannot read the context or the keys: ${error}`);
      }
    },
  };
}
