import { failure, type Result } from '../../client/result.ts';
import type { AnySchema, KeyOf, SwitchyardSchema } from '../../client/schema.ts';
import type { Reporter } from '../reporter.ts';
import { contextOf, type FlagContext } from './flag-context.ts';
import { detailsOf, type FlagDetails, failedDetails, notFound } from './flag-details.ts';
import { createFlagReport } from './flag-report.ts';
import { type FlagError, type FlagSource, type FlagStatus, NOT_LOADED } from './flag-source.ts';
import type { FlagEvaluation, FlagValue } from './flag-state.ts';
import type { RemoteFlags } from './remote-flags.ts';
import type { UsageCounter } from './usage-counter.ts';

/** Keys of the flags with values of this type. */
type FlagKeyOf<Section, Value> = {
  [Key in KeyOf<Section>]: [Extract<Section[Key], Value>] extends [never] ? never : Key;
}[KeyOf<Section>];

/** With the fallback `true`, the value may be `false` too. */
type ValueFor<Value, Fallback> = Fallback extends boolean ? boolean : Extract<Value, string>;

export interface Flags<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * The value of a boolean flag; the fallback if it cannot be evaluated.
   *
   * @example if (switchyard.flags.boolean('new-checkout', false, { userId })) …
   */
  boolean(key: FlagKeyOf<Schema['flags'], boolean>, fallback: boolean, context?: FlagContext): boolean;
  /** The value of a string flag; the fallback if it cannot be evaluated. */
  string<Key extends FlagKeyOf<Schema['flags'], string>>(
    key: Key,
    fallback: Extract<Schema['flags'][Key], string>,
    context?: FlagContext,
  ): Extract<Schema['flags'][Key], string>;
  /**
   * The value and the reason for it.
   *
   * @example flags.details('banner', 'none', { userId }) // { key, value: 'spring', reason: 'STATIC' }
   */
  details<Key extends KeyOf<Schema['flags']>, Fallback extends Schema['flags'][Key]>(
    key: Key,
    fallback: Fallback,
    context?: FlagContext,
  ): FlagDetails<ValueFor<Schema['flags'][Key], Fallback>>;
  /** The values of all flags; empty before they are loaded. */
  all(context?: FlagContext): Partial<Schema['flags']>;
  /**
   * Like `details`, but waits until the flags are loaded or, with remote evaluation, for the service. Flags that are not
   * loaded when the first wait ends delay no other call: calls return the fallback until loading succeeds.
   */
  resolve<Key extends KeyOf<Schema['flags']>, Fallback extends Schema['flags'][Key]>(
    key: Key,
    fallback: Fallback,
    context?: FlagContext,
  ): Promise<FlagDetails<ValueFor<Schema['flags'][Key], Fallback>>>;
  /** The details of several flags. Default: all flags. Unknown keys are omitted. */
  evaluate(
    context?: FlagContext,
    keys?: readonly KeyOf<Schema['flags']>[],
  ): Promise<Result<{ flags: { [Key in KeyOf<Schema['flags']>]?: FlagDetails<Schema['flags'][Key]> } }>>;
  /**
   * Calls the listener with the keys of flags whose values may have changed. Returns a function that unsubscribes.
   *
   * @example const stop = switchyard.flags.onChange((keys) => console.log('changed:', keys));
   */
  onChange(listener: (keys: string[]) => void): () => void;
  /** Where flags are evaluated; set in the options. */
  readonly evaluation: 'local' | 'remote';
  /** `stale`: updates fail, and the last known state is used. Always `starting` with remote evaluation. */
  status(): FlagStatus;
  /** Calls the listener with each new status; `error` is the reason for `stale` or `error`. */
  onStatus(listener: (status: FlagStatus, error?: FlagError) => void): () => void;
}

/** `Flags` without a schema, for internal use. */
export interface UntypedFlags {
  boolean(key: string, fallback: boolean, context?: FlagContext): boolean;
  string(key: string, fallback: string, context?: FlagContext): string;
  details<Value extends FlagValue>(key: string, fallback: Value, context?: FlagContext): FlagDetails<Value>;
  all(context?: FlagContext): Record<string, FlagValue>;
  resolve<Value extends FlagValue>(
    key: string,
    fallback: Value,
    context?: FlagContext,
  ): Promise<FlagDetails<Value>>;
  evaluate(
    context?: FlagContext,
    keys?: readonly string[],
  ): Promise<Result<{ flags: Record<string, FlagDetails> }>>;
  onChange(listener: (keys: string[]) => void): () => void;
  readonly evaluation: 'local' | 'remote';
  status(): FlagStatus;
  onStatus(listener: (status: FlagStatus, error?: FlagError) => void): () => void;
}

const SYNC_CALL_WITH_REMOTE =
  'Synchronous calls return the fallback with `evaluation: "remote"`. Use `flags.resolve` or `flags.evaluate`.';

interface FlagDependencies {
  source: FlagSource;
  /** Set with remote evaluation. */
  remote: RemoteFlags | undefined;
  usage: UsageCounter;
  reporter: Reporter;
  timeoutMs: number;
}

// Plain functions, not methods: they still work when destructured.
export function createFlags({ source, remote, usage, reporter, timeoutMs }: FlagDependencies): UntypedFlags {
  const evaluate = (key: string, context: FlagContext | undefined): FlagEvaluation | undefined => {
    const { state } = source;
    if (state !== undefined) {
      const evaluation = state.evaluate(key, contextOf(context));
      if (evaluation !== undefined) usage.count(key, evaluation);
      return evaluation;
    }
    if (remote) reporter.misuse(SYNC_CALL_WITH_REMOTE);
    return undefined;
  };
  const report = createFlagReport(source, reporter);
  const details = <Value extends FlagValue>(
    key: string,
    fallback: Value,
    context?: FlagContext,
  ): FlagDetails<Value> => {
    try {
      const evaluation = evaluate(key, context);
      report({ key, fallback, evaluation, context });
      if (evaluation !== undefined) return detailsOf(key, fallback, evaluation);
    } catch (error) {
      return failedDetails(key, fallback, { code: 'GENERAL', message: `Cannot read the context: ${error}` });
    }
    if (source.state) return notFound(key, fallback);
    const message = remote ? SYNC_CALL_WITH_REMOTE : (source.lastError?.message ?? NOT_LOADED);
    return failedDetails(key, fallback, { code: 'PROVIDER_NOT_READY', message });
  };
  const all = (context?: FlagContext): Record<string, FlagValue> => {
    const values: Record<string, FlagValue> = Object.create(null);
    if (remote) reporter.misuse(SYNC_CALL_WITH_REMOTE);
    try {
      source.state?.eachOutcome(contextOf(context), ({ key, evaluation }) => {
        usage.count(key, evaluation);
        values[key] = evaluation.value;
      });
    } catch {
      // A context with throwing getters.
    }
    return values;
  };
  const evaluateLocally = (
    context: FlagContext | undefined,
    keys: readonly string[] | undefined,
  ): Record<string, FlagDetails> => {
    const flags: Record<string, FlagDetails> = Object.create(null);
    for (const key of keys ?? source.state?.keys ?? []) {
      const evaluation = evaluate(key, context);
      report({ key, fallback: evaluation?.value, evaluation, context });
      if (evaluation !== undefined) flags[key] = detailsOf(key, evaluation.value, evaluation);
    }
    return flags;
  };
  return {
    boolean(key, fallback, context) {
      try {
        const evaluation = evaluate(key, context);
        report({ key, fallback, evaluation, context });
        return typeof evaluation?.value === 'boolean' ? evaluation.value : fallback;
      } catch {
        return fallback;
      }
    },
    string(key, fallback, context) {
      try {
        const evaluation = evaluate(key, context);
        report({ key, fallback, evaluation, context });
        return typeof evaluation?.value === 'string' ? evaluation.value : fallback;
      } catch {
        return fallback;
      }
    },
    details,
    all,
    async resolve(key, fallback, context) {
      if (!remote) {
        if (!source.state) await source.readyOnce(timeoutMs);
        return details(key, fallback, context);
      }
      const result = await remote.evaluate(contextOf(context), [key]);
      if (!result.success) {
        return failedDetails(key, fallback, { code: 'GENERAL', message: result.error.message });
      }
      const evaluation = Object.hasOwn(result.flags, key) ? result.flags[key] : undefined;
      report({ key, fallback, evaluation, context, isLoaded: true });
      if (!evaluation) return notFound(key, fallback);
      return detailsOf(key, fallback, evaluation);
    },
    async evaluate(context, keys) {
      if (remote) return remote.details(contextOf(context), keys);
      const ready = await source.readyOnce(timeoutMs);
      if (!ready.success) return ready;
      try {
        return { success: true, flags: evaluateLocally(context, keys) };
      } catch (error) {
        return failure('invalid_argument', `Cannot read the context or the keys: ${error}`);
      }
    },
    onChange: (listener) => subscribe(source.listeners.change, listener),
    evaluation: remote ? 'remote' : 'local',
    status: () => source.status,
    onStatus: (listener) => subscribe(source.listeners.status, listener),
  };
}

/** A listener that throws, or is not a function, must not affect the others. */
function subscribe<Args extends unknown[]>(
  listeners: Set<(...args: Args) => void>,
  listener: (...args: Args) => void,
): () => void {
  const guarded = (...args: Args) => {
    try {
      listener(...args);
    } catch (error) {
      console.error('[switchyard] A listener failed:', error);
    }
  };
  listeners.add(guarded);
  return () => void listeners.delete(guarded);
}
