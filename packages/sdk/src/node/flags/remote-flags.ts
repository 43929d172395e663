import type { Result } from '../../client/result.ts';
import { failure } from '../../client/result.ts';
import type { ApiClient } from '../api-client.ts';
import type { Settings } from '../options.ts';
import type { Reporter } from '../reporter.ts';
import { type FlagContext, visitOf } from './flag-context.ts';
import type { FlagEvaluation } from './flag-state.ts';

/** Evaluation by the service, `POST /v1/flags/evaluate`. */
export class RemoteFlags {
  readonly #settings: Settings;
  readonly #api: ApiClient;
  readonly #reporter: Reporter;

  constructor(settings: Settings, api: ApiClient, reporter: Reporter) {
    this.#settings = settings;
    this.#api = api;
    this.#reporter = reporter;
  }

  /** Default: all flags. */
  async evaluate(
    context: FlagContext,
    flagKeys: readonly string[] | undefined,
  ): Promise<Result<{ flags: Record<string, FlagEvaluation> }>> {
    const { propertyId, environment, secretApiKey, timeoutMs, usage } = this.#settings;
    const { isRefused, fromBot } = visitOf(context);
    // The service sees neither the consent nor the user agent of the visitor.
    const record = usage && !isRefused && !fromBot;
    const result = await this.#api.call({
      method: 'POST',
      path: '/v1/flags/evaluate',
      key: secretApiKey,
      body: { propertyId, environment, context, flagKeys, record },
      timeoutMs,
      retry: true,
    });
    if (!result.success) return failure(result.error.code, result.error.message);
    const { flags, recorded } = result.data as { flags?: Record<string, FlagEvaluation>; recorded?: boolean };
    if (typeof flags !== 'object' || flags === null) {
      return failure('unexpected_response', 'The response is not a flag evaluation.');
    }
    if (recorded === false) {
      const message = 'The service could not record an evaluation of measured flags.';
      this.#reporter.problem({ code: 'exposures_dropped', message });
    }
    return { success: true, flags };
  }
}
