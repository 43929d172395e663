import type { Reporter } from '../reporter.ts';
import type { FlagContext } from './flag-context.ts';
import type { FlagSource } from './flag-source.ts';
import type { FlagEvaluation } from './flag-state.ts';

interface FlagUse {
  key: string;
  fallback: unknown;
  /** `undefined`: the fallback is used. */
  evaluation: FlagEvaluation | undefined;
  context: FlagContext | undefined;
  /** Whether all flags were known; if not, a missing one is no mistake. Default: whether they are loaded. */
  isLoaded?: boolean;
}

/** Logs mistakes in the use of flags once each, and explains every evaluation with `debug: true`. */
export function createFlagReport(source: FlagSource, reporter: Reporter): (use: FlagUse) => void {
  const words = ({ key, evaluation, context }: FlagUse, isLoaded: boolean): string => {
    const { state, lastError } = source;
    if (!evaluation) {
      if (isLoaded) return 'fallback, because there is no such flag';
      return `fallback, because the flags are not loaded${lastError ? `: ${lastError.message}` : ''}`;
    }
    const { value, reason, ruleId } = evaluation;
    // Of remote evaluations, only the reason is known.
    const why = state?.explain(key, context ?? {}) ?? (ruleId ? `${reason} by rule ${ruleId}` : reason);
    return `${value}, ${why}`;
  };

  return (use) => {
    const { key, fallback, evaluation, isLoaded = source.state !== undefined } = use;
    if (!evaluation) {
      if (isLoaded) reporter.misuse(`There is no flag "${key}": its fallback is used. Check the key.`);
    } else if (typeof evaluation.value !== typeof fallback) {
      const type = typeof evaluation.value;
      reporter.misuse(
        `The flag "${key}" is a ${type}, but its fallback is a ${typeof fallback}, which is used instead. Read it with a ${type} as fallback.`,
      );
    }
    if (!reporter.isNarrating) return;
    try {
      reporter.narrate(`flag ${key}: ${words(use, isLoaded)}`);
    } catch {
      // The context has throwing getters; with `debug`, results must be the same as without.
    }
  };
}
