import type { Reporter } from '../reporter.ts';
import type { FlagContext } from './flag-context.ts';
import type { FlagSource } from './flag-source.ts';
import type { FlagEvaluation } from './flag-state.ts';
import { type FlagKind, mismatchWords, valueAs } from './flag-value.ts';

export interface FlagUse {
  key: string;
  /** `undefined`: however it is, as when all flags are read. */
  kind: FlagKind | undefined;
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
    return `${evaluation.value}, ${state?.explain(key, context ?? {}) ?? remoteReason(evaluation)}`;
  };

  return (use) => {
    const { key, kind, evaluation, isLoaded = source.state !== undefined } = use;
    if (!evaluation) {
      if (isLoaded) reporter.misuse(`There is no flag "${key}": its fallback is used. Check the key.`);
    } else if (kind !== undefined && valueAs(kind, evaluation) === undefined) {
      reporter.misuse(`${mismatchWords(key, evaluation, kind)} Its fallback is used.`);
    }
    if (!reporter.isNarrating) return;
    try {
      reporter.narrate(`flag ${key}: ${words(use, isLoaded)}`);
    } catch {
      // The context has throwing getters; with `debug`, results must be the same as without.
    }
  };
}

/** Of remote evaluations, only the reason is known. */
function remoteReason({ reason, ruleId, variant }: FlagEvaluation): string {
  if (ruleId === undefined) return reason;
  return `${reason} by rule ${ruleId}${variant === undefined ? '' : `, variant ${variant}`}`;
}
