import {
  ErrorCode,
  type EvaluationContext,
  GeneralError,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  ProviderFatalError,
  type ResolutionDetails,
  type TrackingEventDetails,
} from '@openfeature/server-sdk';
import { createSwitchyard, type Switchyard } from '../node/create-switchyard.ts';
import type { FlagDetails } from '../node/flags/flag-details.ts';
import type { FlagStatus } from '../node/flags/flag-source.ts';
import type { SwitchyardOptions } from '../node/options.ts';

/** What a client can do without its schema: OpenFeature names flags and goals by text. */
type AnyClient = Pick<Switchyard, 'ready' | 'close' | 'flush'> & {
  // A client of any schema fits: its keys are narrower than text, which only matters to who calls it.
  readonly flags: object;
  readonly goals: object;
};

/** Waiting does not help against these. */
const FATAL = /^(api_key_|wrong_|environment_not_found|invalid_argument)/;

const MAX_METADATA = 5;
const MAX_METADATA_LENGTH = 256;

/**
 * A provider for `@openfeature/server-sdk` on top of the Node client: local evaluation, events when flags change,
 * and `track` as goals. Given a client, it leaves closing it to the program; given options, it has one of its own.
 *
 * @example
 * await OpenFeature.setProviderAndWait(new SwitchyardProvider({ apiUrl, secretApiKey, propertyId: 'shop' }));
 * const enabled = await OpenFeature.getClient().getBooleanValue('new-checkout', false, { targetingKey: userId });
 */
export class SwitchyardProvider implements Provider {
  readonly metadata = { name: 'switchyard' } as const;
  readonly runsOn = 'server';
  readonly events = new OpenFeatureEventEmitter();
  readonly #client: Switchyard;
  readonly #isOwn: boolean;
  readonly #onError: (error: { code: string; message: string }) => void;
  #stop: (() => void)[] = [];

  /** `onError` hears of goals that `track` could not record; unless given, that of the options does. */
  constructor(
    given: SwitchyardOptions | AnyClient,
    { onError }: { onError?: (error: { code: string; message: string }) => void } = {},
  ) {
    this.#isOwn = !('flags' in given);
    this.#client = this.#isOwn ? createSwitchyard(given as SwitchyardOptions) : (given as Switchyard);
    this.#onError = onError ?? (this.#isOwn ? (given as SwitchyardOptions).onError : undefined) ?? (() => {});
  }

  async initialize(): Promise<void> {
    const { flags } = this.#client;
    const ready = await this.#client.ready();
    this.#stop.push(
      flags.onChange((flagsChanged) =>
        this.events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged }),
      ),
      flags.onStatus((status) => this.#tell(status)),
    );
    if (ready.success) return;
    const { code, message } = ready.error;
    const explained = `${message} (${code})`;
    throw FATAL.test(code) ? new ProviderFatalError(explained) : new GeneralError(explained);
  }

  async onClose(): Promise<void> {
    for (const stop of this.#stop.splice(0)) stop();
    if (this.#isOwn) await this.#client.close();
    else await this.#client.flush();
  }

  resolveBooleanEvaluation(
    flagKey: string,
    defaultValue: boolean,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<boolean>> {
    return this.#resolve(flagKey, defaultValue, context);
  }

  resolveStringEvaluation(
    flagKey: string,
    defaultValue: string,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<string>> {
    return this.#resolve(flagKey, defaultValue, context);
  }

  /** The service has no flags of this type. */
  resolveNumberEvaluation(
    flagKey: string,
    defaultValue: number,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<number>> {
    return this.#mismatch(flagKey, defaultValue, context);
  }

  /** The service has no flags of this type. */
  resolveObjectEvaluation<T extends JsonValue>(
    flagKey: string,
    defaultValue: T,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<T>> {
    return this.#mismatch(flagKey, defaultValue, context);
  }

  /**
   * Increments the goal of this name. `details.value` is the amount of a revenue goal, and, when it is negative, one
   * that is taken back; `context.sessionId` is the session. Up to five other short details go along as metadata.
   */
  track(
    trackingEventName: string,
    context: EvaluationContext = {},
    details: TrackingEventDetails = {},
  ): void {
    const { value, ...others } = details;
    const { goals } = this.#client;
    const count = value !== undefined && value < 0 ? goals.decrement : goals.increment;
    const { sessionId } = context;
    const metadata = metadataOf(others);
    void count(trackingEventName, {
      ...(value === undefined ? {} : { amount: Math.abs(value) }),
      ...(typeof sessionId === 'string' ? { sessionId } : {}),
      ...(metadata ? { metadata } : {}),
    }).then((result) => {
      if (!result.success) this.#onError(result.error);
    });
  }

  async #resolve<Value extends boolean | string>(
    key: string,
    fallback: Value,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<Value>> {
    const { flags } = this.#client;
    const ask = flags.evaluation === 'remote' ? flags.resolve : flags.details;
    return resolution((await ask(key, fallback, context)) as FlagDetails<Value>);
  }

  async #mismatch<Value>(
    key: string,
    value: Value,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<Value>> {
    const found = await this.#resolve(key, '', context);
    // A flag that is unknown, or flags that are not here yet, are the better reason.
    if (found.errorCode && found.errorCode !== ErrorCode.TYPE_MISMATCH) return { ...found, value };
    const errorMessage = `The flag ${key} is a boolean or a string, as all flags are.`;
    return { value, reason: 'ERROR', errorCode: ErrorCode.TYPE_MISMATCH, errorMessage };
  }

  #tell(status: FlagStatus): void {
    if (status === 'ready') this.events.emit(ProviderEvents.Ready, { message: 'The flags are up to date.' });
    if (status === 'stale') {
      this.events.emit(ProviderEvents.Stale, {
        message: 'The service is away; the last good state answers.',
      });
    }
    if (status === 'error') {
      const message = 'The service refuses to tell the flags.';
      this.events.emit(ProviderEvents.Error, { message, errorCode: ErrorCode.PROVIDER_FATAL });
    }
  }
}

function resolution<Value>({
  value,
  reason,
  ruleId,
  errorCode,
  errorMessage,
}: FlagDetails<Value>): ResolutionDetails<Value> {
  if (errorCode) {
    const code = ErrorCode[errorCode];
    return { value, reason, errorCode: code, ...(errorMessage ? { errorMessage } : {}) };
  }
  // The same names as the service gives over OFREP.
  return { value, reason, variant: ruleId ?? 'default', ...(ruleId ? { flagMetadata: { ruleId } } : {}) };
}

function metadataOf(details: Record<string, unknown>): Record<string, string> | undefined {
  const fitting = Object.entries(details)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => [name, String(value)] as const)
    .filter(([name, text]) => name.length <= MAX_METADATA_LENGTH && text.length <= MAX_METADATA_LENGTH);
  return fitting.length === 0 ? undefined : Object.fromEntries(fitting.slice(0, MAX_METADATA));
}
