import type { ApiClient, ApiFailure } from '../api-client.ts';
import type { Settings } from '../options.ts';
import type { Reporter } from '../reporter.ts';

type KeyResult = { success: true; key: string } | ApiFailure;

/** Dependencies of the parts that call the service with the public key. */
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
  #key: string | undefined;
  #fetching: Promise<KeyResult> | undefined;

  constructor(settings: Settings, api: ApiClient) {
    this.#settings = settings;
    this.#api = api;
    this.#key = settings.publicApiKey;
  }

  get(timeoutMs: number): Promise<KeyResult> {
    if (this.#key !== undefined) return Promise.resolve({ success: true, key: this.#key });
    this.#fetching ??= this.#fetch(timeoutMs).finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  /** Call when a key was rejected. True if the service may have another one. */
  forget(key: string): boolean {
    if (key === this.#settings.publicApiKey) return false;
    if (this.#key === key) this.#key = undefined;
    return true;
  }

  async #fetch(timeoutMs: number): Promise<KeyResult> {
    const { propertyId, secretApiKey } = this.#settings;
    const result = await this.#api.call({
      method: 'GET',
      path: '/v1/keys/public',
      key: secretApiKey,
      query: { propertyId },
      timeoutMs,
      retry: true,
    });
    if (!result.success) {
      if (result.error.code !== 'not_found') return result;
      const message =
        'The property has no public key, which split tests need. Create one, or set `publicApiKey`.';
      return { ...result, error: { code: 'public_key_not_found', message } };
    }
    this.#key = String((result.data as { publicApiKey?: unknown }).publicApiKey);
    return { success: true, key: this.#key };
  }
}
