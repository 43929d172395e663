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
import type { FlagError, FlagStatus } from '../node/flags/flag-source.ts';
import type { SwitchyardOptions } from '../node/options.ts';

/** A client with any schema: OpenFeature uses plain strings as keys. */
type AnyClient = Pick<Switchyard, 'ready' | 'close' | 'flush'> & {
  // Not typed: with a schema, these accept fewer keys than any string.
  readonly flags: object;
  readonly goals: object;
};

/** Errors that retrying does not fix. */
const FATAL = /^(api_key_|wrong_|environment_not_found|invalid_argument)/;

const isFatal = ({ code }: FlagError): boolean => FATAL.test(code);
const describe = ({ code, message }: FlagError): string => `${message} (${code})`;
const UNKNOWN_ERROR = { code: 'unexpected_response', message: 'The flags could not be loaded.' };

const MAX_METADATA = 5;
const MAX_METADATA_LENGTH = 256;

/**
 * A provider for `@openfeature/server-sdk`, based on the Node client: local evaluation, change events, and goals with
 * `track`. It creates and closes its own client, or uses an existing one without closing it.
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
  readonly #ownsClient: boolean;
  readonly #onError: (error: { code: string; message: string }) => void;
  #unsubscribe: (() => void)[] = [];

  /** `onError` is called with goals that `track` could not record. Default: `onError` of the options. */
  constructor(
    optionsOrClient: SwitchyardOptions | AnyClient,
    { onError }: { onError?: (error: { code: string; message: string }) => void } = {},
  ) {
    const options = 'flags' in optionsOrClient ? undefined : (optionsOrClient as SwitchyardOptions);
    this.#ownsClient = options !== undefined;
    this.#client = options ? createSwitchyard(options) : (optionsOrClient as Switchyard);
    this.#onError = onError ?? options?.onError ?? (() => {});
  }

  async initialize(): Promise<void> {
    const { flags } = this.#client;
    const ready = await this.#client.ready();
    this.#unsubscribe.push(
      flags.onChange((flagsChanged) =>
        this.events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged }),
      ),
      flags.onStatus((status, error) => this.#emitStatus(status, error)),
    );
    if (ready.success) return;
    const description = describe(ready.error);
    throw isFatal(ready.error) ? new ProviderFatalError(description) : new GeneralError(description);
  }

  async onClose(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    if (this.#ownsClient) await this.#client.close();
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

  /** Of a flag with the format `number`, or with the format `json` if its value is a number. */
  resolveNumberEvaluation(
    flagKey: string,
    defaultValue: number,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<number>> {
    return this.#resolve(flagKey, defaultValue, context);
  }

  /** Of a flag with the format `json`. The value is frozen. */
  async resolveObjectEvaluation<T extends JsonValue>(
    flagKey: string,
    defaultValue: T,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<T>> {
    // Not with the default value: a text would ask for the text of the flag.
    const details: ResolutionDetails<unknown> = await this.#resolve(flagKey, null, context);
    return (details.errorCode ? { ...details, value: defaultValue } : details) as ResolutionDetails<T>;
  }

  /**
   * Increments the goal with this id. `details.value` is the amount; a negative one decrements the goal.
   * `context.sessionId` is the session. Up to five other short details become metadata.
   */
  track(
    trackingEventName: string,
    context: EvaluationContext = {},
    details: TrackingEventDetails = {},
  ): void {
    const { value, ...rest } = details;
    const { goals } = this.#client;
    const send = value !== undefined && value < 0 ? goals.decrement : goals.increment;
    const { sessionId } = context;
    const metadata = metadataOf(rest);
    void send(trackingEventName, {
      ...(value === undefined ? {} : { amount: Math.abs(value) }),
      ...(typeof sessionId === 'string' ? { sessionId } : {}),
      ...(metadata ? { metadata } : {}),
    }).then((result) => {
      if (!result.success && !result.queued) this.#onError(result.error);
    });
  }

  async #resolve<Value extends boolean | string | number | null>(
    key: string,
    fallback: Value,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<Value>> {
    const { flags } = this.#client;
    const isRemote = flags.evaluation === 'remote';
    const details = isRemote
      ? await flags.resolve(key, fallback, context)
      : flags.details(key, fallback, context);
    return resolution(details as FlagDetails<Value>);
  }

  #emitStatus(status: FlagStatus, error: FlagError = UNKNOWN_ERROR): void {
    if (status === 'ready') this.events.emit(ProviderEvents.Ready, { message: 'The flags are up to date.' });
    if (status === 'stale') {
      const message = `The last known flags are used: ${describe(error)}`;
      // Not `PROVIDER_FATAL`, with which OpenFeature would return its defaults instead.
      if (isFatal(error)) this.events.emit(ProviderEvents.Error, { message, errorCode: ErrorCode.GENERAL });
      else this.events.emit(ProviderEvents.Stale, { message });
    }
    if (status === 'error') {
      const message = describe(error);
      this.events.emit(ProviderEvents.Error, { message, errorCode: ErrorCode.PROVIDER_FATAL });
    }
  }
}

function resolution<Value>({
  value,
  reason,
  ruleId,
  variant = ruleId ?? 'default',
  errorCode,
  errorMessage,
}: FlagDetails<Value>): ResolutionDetails<Value> {
  if (errorCode) {
    const code = ErrorCode[errorCode];
    return { value, reason, errorCode: code, ...(errorMessage ? { errorMessage } : {}) };
  }
  // The same variants and metadata as with OFREP.
  return { value, reason, variant, ...(ruleId ? { flagMetadata: { ruleId } } : {}) };
}

function metadataOf(details: Record<string, unknown>): Record<string, string> | undefined {
  const entries = Object.entries(details)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => [name, String(value)] as const)
    .filter(([name, text]) => name.length <= MAX_METADATA_LENGTH && text.length <= MAX_METADATA_LENGTH);
  return entries.length === 0 ? undefined : Object.fromEntries(entries.slice(0, MAX_METADATA));
}
