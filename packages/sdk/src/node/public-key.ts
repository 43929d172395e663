import type { ApiClient, ApiFailure } from './api-client.ts';
import type { Settings } from './options.ts';
import type { Reporter } from './reporter.ts';

type Found = { success: true; key: string } | ApiFailure;

/** What a part needs that calls the service with the public key, in the background. */
export interface PublicApi {
  settings: Settings;
  api: ApiClient;
  publicKey: PublicKey;
  reporter: Reporter;
}

/** The public key of the property: from the options, or fetched from the service once. */
export class PublicKey {
  readonly #settings: Settings;
  readonly #api: ApiClient;
  #found: string | undefined;
  #asking: Promise<Found> | undefined;

  constructor(settings: Settings, api: ApiClient) {
    this.#settings = settings;
    this.#api = api;
    this.#found = settings.publicApiKey;
  }

  get(timeoutMs: number): Promise<Found> {
    if (this.#found !== undefined) return Promise.resolve({ success: true, key: this.#found });
    this.#asking ??= this.#ask(timeoutMs).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** After a key was refused: true when another one may be found. */
  forget(key: string): boolean {
    if (key === this.#settings.publicApiKey) return false;
    if (this.#found === key) this.#found = undefined;
    return true;
  }

  async #ask(timeoutMs: number): Promise<Found> {
    const { propertyId, secretApiKey } = this.#settings;
    const answer = await this.#api.call({
      method: 'GET',
      path: '/v1/keys/public',
      key: secretApiKey,
      query: { propertyId },
      timeoutMs,
      retry: true,
    });
    if (!answer.success) {
      if (answer.error.code !== 'not_found') return answer;
      const message =
        'The property has no public key, which split tests need. Create one, or give `publicApiKey`.';
      return { ...answer, error: { code: 'public_key_not_found', message } };
    }
    this.#found = String((answer.data as { publicApiKey?: unknown }).publicApiKey);
    return { success: true, key: this.#found };
  }
}
