import type { Result } from '../../client/result.ts';
import { failure } from '../../client/result.ts';
import type { ApiClient } from '../api-client.ts';
import type { Settings } from '../options.ts';
import { detailsOf, type FlagDetails } from './flag-details.ts';
import type { FlagAnswer } from './flag-state.ts';
import type { FlagContext } from './flags.ts';

/** Evaluation by the service, `POST /v1/flags/evaluate`. */
export class RemoteFlags {
  readonly #settings: Settings;
  readonly #api: ApiClient;

  constructor(settings: Settings, api: ApiClient) {
    this.#settings = settings;
    this.#api = api;
  }

  /** The answers as the service gives them; of all flags unless `flagKeys` names some. */
  async evaluate(
    context: FlagContext,
    flagKeys: readonly string[] | undefined,
  ): Promise<Result<{ flags: Record<string, FlagAnswer> }>> {
    const { propertyId, environment, secretApiKey, timeoutMs } = this.#settings;
    const answer = await this.#api.call({
      method: 'POST',
      path: '/v1/flags/evaluate',
      key: secretApiKey,
      body: { propertyId, environment, context, flagKeys },
      timeoutMs,
      retry: true,
    });
    if (!answer.success) return failure(answer.error.code, answer.error.message);
    const { flags } = answer.data as { flags?: Record<string, FlagAnswer> };
    if (typeof flags !== 'object' || flags === null) {
      return failure('unexpected_answer', 'The service answered with something that is no evaluation.');
    }
    return { success: true, flags };
  }

  async details(
    context: FlagContext,
    keys: readonly string[] | undefined,
  ): Promise<Result<{ flags: Record<string, FlagDetails> }>> {
    const result = await this.evaluate(context, keys);
    if (!result.success) return result;
    const flags: Record<string, FlagDetails> = Object.create(null);
    for (const [key, answer] of Object.entries(result.flags))
      flags[key] = detailsOf(key, answer.value, answer);
    return { success: true, flags };
  }
}
