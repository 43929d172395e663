import { retryDelay } from '../../client/retry.ts';
import type { SplitTestConfig } from '../../client/split-tests.ts';
import { type ApiClient, type ApiFailure, apiFailure } from '../api-client.ts';
import type { Settings } from '../options.ts';
import type { PublicApi, PublicKey } from '../public-key.ts';
import type { Reporter } from '../reporter.ts';

export interface Definitions {
  config: SplitTestConfig;
  fetchedAt: number;
}

const NONE: Definitions = { config: { tests: [], ttl: 0 }, fetchedAt: 0 };

/**
 * The definitions of the running split tests. Only the very first reader waits for them; later ones get what is there
 * while it is renewed behind them, and nobody waits for a service that was found away a moment ago.
 */
export class SplitTestDefinitions {
  readonly #settings: Settings;
  readonly #api: ApiClient;
  readonly #publicKey: PublicKey;
  readonly #reporter: Reporter;
  #current: Definitions | undefined;
  #etag: string | null = null;
  #renewal: Promise<void> | undefined;
  #nextAt = 0;
  #failures = 0;

  constructor({ settings, api, publicKey, reporter }: PublicApi) {
    this.#settings = settings;
    this.#api = api;
    this.#publicKey = publicKey;
    this.#reporter = reporter;
  }

  async get(): Promise<Definitions> {
    if (!this.#renewal && Date.now() >= this.#nextAt) {
      this.#renewal = this.#renew().finally(() => {
        this.#renewal = undefined;
      });
    }
    if (!this.#current && this.#failures === 0) await this.#renewal;
    return this.#current ?? NONE;
  }

  async #renew(): Promise<void> {
    const failed = await this.#fetch();
    if (!failed) {
      this.#failures = 0;
      this.#nextAt = Date.now() + 1000 * Math.max(1, this.#current?.config.ttl ?? 60);
      return;
    }
    this.#failures += 1;
    this.#nextAt = Date.now() + retryDelay(this.#failures, failed.retryAfterMs, Math.random);
    this.#reporter.problem(failed.error);
  }

  async #fetch(): Promise<ApiFailure | undefined> {
    const { propertyId, timeoutMs } = this.#settings;
    const found = await this.#publicKey.get(timeoutMs);
    if (!found.success) return found;
    const answer = await this.#api.call({
      method: 'GET',
      path: '/v1/split-testing/config',
      key: found.key,
      query: { propertyId },
      headers: this.#etag ? { 'if-none-match': this.#etag } : {},
      timeoutMs,
      retry: false,
    });
    if (!answer.success) {
      if (answer.error.code === 'api_key_invalid') this.#publicKey.forget(found.key);
      return answer;
    }
    const fetchedAt = Date.now();
    if (answer.status === 304 && this.#current) {
      this.#current = { ...this.#current, fetchedAt };
      return undefined;
    }
    const config = answer.data as SplitTestConfig;
    if (!Array.isArray(config?.tests)) {
      return apiFailure('unexpected_answer', 'The response is not a split test configuration.', {
        transient: true,
      });
    }
    this.#current = { config: { ...config, tests: config.tests.filter(isObject) }, fetchedAt };
    this.#etag = answer.etag;
    return undefined;
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
