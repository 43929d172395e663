import { failure, type Result } from '../../client/result.ts';
import type { AnySchema, KeyOf, SwitchyardSchema } from '../../client/schema.ts';
import type { Reporter } from '../reporter.ts';
import { detailsOf, type FlagDetails, failedDetails, notFound } from './flag-details.ts';
import type { FlagSource, FlagStatus } from './flag-source.ts';
import type { FlagAnswer, FlagValue } from './flag-state.ts';
import type { RemoteFlags } from './remote-flags.ts';

/**
 * Whom a flag is asked for. Rules may look at any attribute. The unit of a percentage rollout is `targetingKey`, else
 * `userId`, `email`, `visitorId`, `sessionId`. Only the service (remote evaluation) knows whose a `sessionId` is.
 */
export interface FlagContext {
  readonly targetingKey?: string | undefined;
  readonly userId?: string | undefined;
  readonly email?: string | undefined;
  readonly visitorId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly [attribute: string]: unknown;
}

/** Keys of the flags whose values are of a type. */
type FlagKeyOf<Part, Value> = {
  [Key in KeyOf<Part>]: [Extract<Part[Key], Value>] extends [never] ? never : Key;
}[KeyOf<Part>];

/** `true` as a fallback asks a flag that may also be `false`. */
type Answered<Value, Fallback> = Fallback extends boolean ? boolean : Extract<Value, string>;

export interface Flags<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * The value of a boolean flag, at once; `fallback` when there is none.
   *
   * @example if (switchyard.flags.boolean('new-checkout', false, { userId })) …
   */
  boolean(key: FlagKeyOf<Schema['flags'], boolean>, fallback: boolean, context?: FlagContext): boolean;
  /** The value of a string flag, at once; `fallback` when there is none. */
  string<Key extends FlagKeyOf<Schema['flags'], string>>(
    key: Key,
    fallback: Extract<Schema['flags'][Key], string>,
    context?: FlagContext,
  ): Extract<Schema['flags'][Key], string>;
  /**
   * The value with its reason.
   *
   * @example flags.details('banner', 'none', { userId }) // { key, value: 'spring', reason: 'STATIC' }
   */
  details<Key extends KeyOf<Schema['flags']>, Fallback extends Schema['flags'][Key]>(
    key: Key,
    fallback: Fallback,
    context?: FlagContext,
  ): FlagDetails<Answered<Schema['flags'][Key], Fallback>>;
  /** The values of all flags; empty when nothing is known yet. */
  all(context?: FlagContext): Partial<Schema['flags']>;
  /** `details` for programs that can wait: for the first state, or, with remote evaluation, for the service. */
  resolve<Key extends KeyOf<Schema['flags']>, Fallback extends Schema['flags'][Key]>(
    key: Key,
    fallback: Fallback,
    context?: FlagContext,
  ): Promise<FlagDetails<Answered<Schema['flags'][Key], Fallback>>>;
  /** The details of many flags, all of them unless `keys` names some; unknown keys are left out. */
  evaluate(
    context?: FlagContext,
    keys?: readonly KeyOf<Schema['flags']>[],
  ): Promise<Result<{ flags: { [Key in KeyOf<Schema['flags']>]?: FlagDetails<Schema['flags'][Key]> } }>>;
  /**
   * Calls the listener with the keys of the flags that may answer otherwise than before. Returns what ends it.
   *
   * @example const stop = switchyard.flags.onChange((keys) => console.log('changed:', keys));
   */
  onChange(listener: (keys: string[]) => void): () => void;
  /** Where flags are evaluated, as the options say. */
  readonly evaluation: 'local' | 'remote';
  /** `stale` while the service is away and the last good state answers. With remote evaluation it stays `starting`. */
  status(): FlagStatus;
  onStatus(listener: (status: FlagStatus) => void): () => void;
}

/** The same with schema and generics taken off, as the parts of this package use it. */
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
  onStatus(listener: (status: FlagStatus) => void): () => void;
}

const NOBODY: FlagContext = Object.freeze({});
const SYNCHRONOUS_AND_REMOTE =
  'Flags are evaluated by the service (`evaluation: "remote"`), which synchronous calls cannot ask: they answer the fallback. Use `flags.resolve` or `flags.evaluate`.';

interface Parts {
  source: FlagSource;
  /** Set when the service evaluates. */
  remote: RemoteFlags | undefined;
  reporter: Reporter;
  timeoutMs: number;
}

// Functions instead of methods: they work when they are taken off the object.
export function createFlags({ source, remote, reporter, timeoutMs }: Parts): UntypedFlags {
  const evaluate = (key: string, context: FlagContext | undefined): FlagAnswer | undefined => {
    const { state } = source;
    if (state !== undefined) return state.evaluate(key, contextOf(context));
    if (remote) reporter.misuse(SYNCHRONOUS_AND_REMOTE);
    return undefined;
  };
  const details = <Value extends FlagValue>(
    key: string,
    fallback: Value,
    context?: FlagContext,
  ): FlagDetails<Value> => {
    try {
      const answer = evaluate(key, context);
      if (answer !== undefined) return detailsOf(key, fallback, answer);
    } catch (error) {
      return failedDetails(key, fallback, { code: 'GENERAL', message: `Cannot read the context: ${error}` });
    }
    if (source.state) return notFound(key, fallback);
    const message = remote
      ? SYNCHRONOUS_AND_REMOTE
      : (source.lastError?.message ?? 'The flags are not loaded yet.');
    return failedDetails(key, fallback, { code: 'PROVIDER_NOT_READY', message });
  };
  const all = (context?: FlagContext): Record<string, FlagValue> => {
    const values: Record<string, FlagValue> = Object.create(null);
    if (remote) reporter.misuse(SYNCHRONOUS_AND_REMOTE);
    try {
      source.state?.evaluateEach(contextOf(context), (key, { value }) => {
        values[key] = value;
      });
    } catch {
      // A context whose members cannot be read has no answers.
    }
    return values;
  };
  const evaluateHere = (
    context: FlagContext | undefined,
    keys: readonly string[] | undefined,
  ): Record<string, FlagDetails> => {
    const answers: Record<string, FlagDetails> = Object.create(null);
    for (const key of keys ?? source.state?.keys ?? []) {
      const answer = evaluate(key, context);
      if (answer !== undefined) answers[key] = detailsOf(key, answer.value, answer);
    }
    return answers;
  };
  return {
    boolean(key, fallback, context) {
      try {
        const value = evaluate(key, context)?.value;
        return typeof value === 'boolean' ? value : fallback;
      } catch {
        return fallback;
      }
    },
    string(key, fallback, context) {
      try {
        const value = evaluate(key, context)?.value;
        return typeof value === 'string' ? value : fallback;
      } catch {
        return fallback;
      }
    },
    details,
    all,
    async resolve(key, fallback, context) {
      if (!remote) {
        if (!source.state) await source.ready(timeoutMs);
        return details(key, fallback, context);
      }
      const result = await remote.evaluate(contextOf(context), [key]);
      if (!result.success) {
        return failedDetails(key, fallback, { code: 'GENERAL', message: result.error.message });
      }
      const answer = Object.hasOwn(result.flags, key) ? result.flags[key] : undefined;
      if (!answer) return notFound(key, fallback);
      return detailsOf(key, fallback, answer);
    },
    async evaluate(context, keys) {
      if (remote) return remote.details(contextOf(context), keys);
      const ready = await source.ready(timeoutMs);
      if (!ready.success) return ready;
      try {
        return { success: true, flags: evaluateHere(context, keys) };
      } catch (error) {
        return failure('invalid_argument', `The context or the keys cannot be read: ${error}`);
      }
    },
    onChange: (listener) => subscribe(source.listeners.change, listener),
    evaluation: remote ? 'remote' : 'local',
    status: () => source.status,
    onStatus: (listener) => subscribe(source.listeners.status, listener),
  };
}

/** Programs without types hand over anything. */
const contextOf = (given: FlagContext | undefined): FlagContext =>
  typeof given === 'object' && given !== null ? given : NOBODY;

/** A listener that fails, or is no function, must not stop the others. */
function subscribe<T>(listeners: Set<(value: T) => void>, listener: (value: T) => void): () => void {
  const guarded = (value: T) => {
    try {
      listener(value);
    } catch (error) {
      console.error('[switchyard] A listener failed:', error);
    }
  };
  listeners.add(guarded);
  return () => void listeners.delete(guarded);
}
