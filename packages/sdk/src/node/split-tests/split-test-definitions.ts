import { AsyncLocalStorage } from 'node:async_hooks';
import { retryDelay } from '../../client/retry.ts';
import type { SplitTestConfig } from '../../client/split-tests.ts';
import { type ApiClient, type ApiFailure, apiFailure } from '../api-client.ts';
import type { Settings } from '../options.ts';
import type { Reporter } from '../reporter.ts';
import type { PublicApi, PublicKey } from './public-key.ts';

export interface Definitions {
  config: SplitTestConfig;
  fetchedAt: number;
}

const EMPTY: Definitions = { config: { tests: [], ttl: 0 }, fetchedAt: 0 };

/**
 * The definitions of the running split tests. Only the first request waits for them; later ones use the cache, which is
 * refreshed in the background. After a failure, nobody waits until the next attempt has succeeded.
 */
export class SplitTestDefinitions {
  readonly #settings: Settings;
  readonly #api: ApiClient;
  readonly #publicKey: PublicKey;
  readonly #reporter: Reporter;
  #current: Definitions | undefined;
  #etag: string | null = null;
  #refreshing: Promise<void> | undefined;
  /** Monotonic. Next.js does not let pages that it prerenders read the clock. */
  #nextRefreshAt = 0;
  /** Calls a function outside of the request: in the middle of a prerender, Next.js would hold its fetch forever. */
  readonly #outsideOfRequests = AsyncLocalStorage.snapshot();
  #failures = 0;

  constructor({ settings, api, publicKey, reporter }: PublicApi) {
    this.#settings = settings;
    this.#api = api;
    this.#publicKey = publicKey;
    this.#reporter = reporter;
  }

  async get(): Promise<Definitions> {
    if (!this.#refreshing && performance.now() >= this.#nextRefreshAt) {
      this.#refreshing = this.#outsideOfRequests(() => this.#refresh()).finally(() => {
        this.#refreshing = undefined;
      });
    }
    if (!this.#current && this.#failures === 0) await this.#refreshing;
    return this.#current ?? EMPTY;
  }

  async #refresh(): Promise<void> {
    const failed = await this.#fetch();
    if (!failed) {
      this.#failures = 0;
      this.#nextRefreshAt = performance.now() + 1000 * Math.max(1, this.#current?.config.ttl ?? 60);
      return;
    }
    this.#failures += 1;
    this.#nextRefreshAt = performance.now() + retryDelay(this.#failures, failed.retryAfterMs, Math.random);
    this.#reporter.problem(failed.error);
  }

  async #fetch(): Promise<ApiFailure | undefined> {
    const { propertyId, timeoutMs } = this.#settings;
    const found = await this.#publicKey.get(timeoutMs);
    if (!found.success) return found;
    const result = await this.#api.call({
      method: 'GET',
      path: '/v1/split-testing/config',
      key: found.key,
      query: { propertyId },
      headers: this.#etag ? { 'if-none-match': this.#etag } : {},
      timeoutMs,
      retry: false,
    });
    if (!result.success) {
      if (result.error.code === 'api_key_invalid') this.#publicKey.forget(found.key);
      return result;
    }
    const fetchedAt = Date.now();
    if (result.status === 304 && this.#current) {
      this.#current = { ...this.#current, fetchedAt };
      return undefined;
    }
    const config = result.data as SplitTestConfig;
    if (!Array.isArray(config?.tests)) {
      return apiFailure('unexpected_response', 'The response is not a split test configuration.', {
        transient: true,
      });
    }
    this.#current = { config: { ...config, tests: config.tests.filter(isObject) }, fetchedAt };
    this.#etag = result.etag;
    return undefined;
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
