import type {
  FlagFallback,
  FlagKeyOf,
  FlagValueFor,
  JsonKeyOf,
  JsonValueFor,
  NumberKeyOf,
  Part,
  ValueFallback,
} from '../../client/flag-types.ts';
import type { Result } from '../../client/result.ts';
import type { AnySchema, JsonValue, KeyOf, SwitchyardSchema } from '../../client/schema.ts';
import { contextOf, type FlagContext } from './flag-context.ts';
import { detailsOf, type FlagDetails, failedDetails, notFound, parsedDetails } from './flag-details.ts';
import { type FlagDependencies, type FlagEvaluations, SYNC_CALL_WITH_REMOTE } from './flag-evaluations.ts';
import { type FlagError, type FlagStatus, NOT_LOADED } from './flag-source.ts';
import { type FlagKind, kindOf, parsedValue, valueAs } from './flag-value.ts';

export interface Flags<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * The value of a boolean flag; the fallback if it cannot be evaluated.
   *
   * @example if (switchyard.flags.boolean('new-checkout', false, { userId })) …
   */
  boolean(key: FlagKeyOf<Schema['flags'], boolean>, fallback: boolean, context?: FlagContext): boolean;
  /** The value of a string flag; the fallback if it cannot be evaluated. Of a flag with a format, the text. */
  string<Key extends FlagKeyOf<Schema['flags'], string>>(
    key: Key,
    fallback: Part<Schema['flags'][Key], string>,
    context?: FlagContext,
  ): Part<Schema['flags'][Key], string>;
  /**
   * The value of a flag with the format `number`, or with the format `json` if it is a number; the fallback if it cannot
   * be evaluated.
   *
   * @example const price = switchyard.flags.number('price', 9.9, { userId });
   */
  number<Key extends NumberKeyOf<Schema['flags']>>(
    key: Key,
    fallback: Part<Schema['flags'][Key], number>,
    context?: FlagContext,
  ): Part<Schema['flags'][Key], number>;
  /**
   * The parsed value of a flag with the format `json`; the fallback if it cannot be evaluated. It is parsed once, frozen
   * and shared by all calls: copy it to change it. Without a schema, the fallback determines the type.
   *
   * @example const { currency, plans } = switchyard.flags.json('pricing', { currency: 'EUR', plans: ['basic'] }, { userId });
   */
  json<Key extends JsonKeyOf<Schema['flags']>, Fallback extends ValueFallback<Schema['flags'][Key]>>(
    key: Key,
    fallback: Fallback,
    context?: FlagContext,
  ): JsonValueFor<Schema['flags'][Key], Fallback>;
  json<Key extends JsonKeyOf<Schema['flags']>, Fallback extends FlagFallback<Schema['flags'][Key]>>(
    key: Key,
    fallback: Fallback,
    context?: FlagContext,
  ): JsonValueFor<Schema['flags'][Key], Fallback>;
  /**
   * The value and the reason for it. The type of the fallback decides how a flag with a format is read: as a number, as
   * parsed JSON (with an object, an array or null), or as its text (with a string).
   *
   * @example flags.details('banner', 'none', { userId }) // { key, value: 'spring', reason: 'STATIC' }
   */
  details<Key extends KeyOf<Schema['flags']>, Fallback extends ValueFallback<Schema['flags'][Key]>>(
    key: Key,
    fallback: Fallback,
    context?: FlagContext,
  ): FlagDetails<FlagValueFor<Schema['flags'][Key], Fallback>>;
  details<Key extends KeyOf<Schema['flags']>, Fallback extends FlagFallback<Schema['flags'][Key]>>(
    key: Key,
    fallback: Fallback,
    context?: FlagContext,
  ): FlagDetails<FlagValueFor<Schema['flags'][Key], Fallback>>;
  /** The values of all flags, parsed if they have a format; empty before they are loaded. */
  all(context?: FlagContext): Partial<Schema['flags']>;
  /**
   * Like `details`, but waits until the flags are loaded or, with remote evaluation, for the service. Flags that are not
   * loaded when the first wait ends delay no other call: calls return the fallback until loading succeeds.
   */
  resolve<Key extends KeyOf<Schema['flags']>, Fallback extends ValueFallback<Schema['flags'][Key]>>(
    key: Key,
    fallback: Fallback,
    context?: FlagContext,
  ): Promise<FlagDetails<FlagValueFor<Schema['flags'][Key], Fallback>>>;
  resolve<Key extends KeyOf<Schema['flags']>, Fallback extends FlagFallback<Schema['flags'][Key]>>(
    key: Key,
    fallback: Fallback,
    context?: FlagContext,
  ): Promise<FlagDetails<FlagValueFor<Schema['flags'][Key], Fallback>>>;
  /** The details of several flags, with values like those of `all`. Default: all flags. Unknown keys are omitted. */
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
  number(key: string, fallback: number, context?: FlagContext): number;
  json(key: string, fallback: JsonValue, context?: FlagContext): JsonValue;
  details<Value extends JsonValue>(key: string, fallback: Value, context?: FlagContext): FlagDetails<Value>;
  all(context?: FlagContext): Record<string, JsonValue>;
  resolve<Value extends JsonValue>(
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

// Plain functions, not methods: they still work when destructured.
export function createFlags(
  { evaluate, evaluateSeveral, report }: FlagEvaluations,
  { source, remote, usage, reporter, timeoutMs }: FlagDependencies,
): UntypedFlags {
  const read = <Value extends JsonValue>(
    kind: FlagKind,
    key: string,
    fallback: Value,
    context: FlagContext | undefined,
  ): Value => {
    try {
      const evaluation = evaluate(key, context);
      report({ key, kind, evaluation, context });
      const value = evaluation && valueAs(kind, evaluation);
      return value === undefined ? fallback : (value as Value);
    } catch {
      return fallback;
    }
  };
  const details = <Value extends JsonValue>(
    key: string,
    fallback: Value,
    context?: FlagContext,
  ): FlagDetails<Value> => {
    try {
      const evaluation = evaluate(key, context);
      report({ key, kind: kindOf(fallback), evaluation, context });
      if (evaluation !== undefined) return detailsOf(key, fallback, evaluation);
    } catch (error) {
      return failedDetails(key, fallback, { code: 'GENERAL', message: `Cannot read the context: ${error}` });
    }
    if (source.state) return notFound(key, fallback);
    const message = remote ? SYNC_CALL_WITH_REMOTE : (source.lastError?.message ?? NOT_LOADED);
    return failedDetails(key, fallback, { code: 'PROVIDER_NOT_READY', message });
  };
  const all = (context?: FlagContext): Record<string, JsonValue> => {
    const values: Record<string, JsonValue> = Object.create(null);
    if (remote) reporter.misuse(SYNC_CALL_WITH_REMOTE);
    try {
      const { state } = source;
      const attributes = contextOf(context);
      state?.eachOutcome(attributes, ({ key, evaluation }) => {
        usage.count(key, evaluation);
        values[key] = parsedValue(evaluation);
      });
      for (const key of state?.measured ?? []) usage.expose(state!, key, attributes);
    } catch {
      // A context with throwing getters.
    }
    return values;
  };
  return {
    boolean: (key, fallback, context) => read('boolean', key, fallback, context),
    string: (key, fallback, context) => read('string', key, fallback, context),
    number: (key, fallback, context) => read('number', key, fallback, context),
    json: (key, fallback, context) => read('json', key, fallback, context),
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
      report({ key, kind: kindOf(fallback), evaluation, context, isLoaded: true });
      if (!evaluation) return notFound(key, fallback);
      return detailsOf(key, fallback, evaluation);
    },
    async evaluate(context, keys) {
      const result = await evaluateSeveral(context, keys);
      if (!result.success) return result;
      const flags: Record<string, FlagDetails> = Object.create(null);
      for (const [key, evaluation] of Object.entries(result.flags)) {
        flags[key] = parsedDetails(key, evaluation);
      }
      return { success: true, flags };
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
