import type { Result } from '../../client/result.ts';
import { failure } from '../../client/result.ts';
import { retryDelay } from '../../client/retry.ts';
import { type ApiClient, type ApiFailure, type ApiResult, apiFailure } from '../api-client.ts';
import type { Settings } from '../options.ts';
import type { Reporter } from '../reporter.ts';
import { ChangeStream } from './change-stream.ts';
import {
  changedKeys,
  compileState,
  type FlagList,
  type FlagState,
  isFlagList,
  usesSegments,
} from './flag-state.ts';

/**
 * `starting`: not loaded yet. `ready`: up to date. `stale`: updates fail, and the last known state is used. `error`: the
 * service rejects the request, and there is no state at all.
 */
export type FlagStatus = 'starting' | 'ready' | 'stale' | 'error' | 'closed';

/** A response with its ETag, for conditional requests. */
interface Cached<T> {
  value: T;
  etag: string | null;
}

interface SourceListeners {
  change: Set<(keys: string[]) => void>;
  status: Set<(status: FlagStatus) => void>;
}

const INVALID_RESPONSE = apiFailure('unexpected_response', 'The response is not a list of flags.', {
  transient: true,
});

/** Caches the flags of one environment: fetches them at the start, on every change, and by polling. */
export class FlagSource {
  /** The current flags; `undefined` before they are loaded. */
  state: FlagState | undefined;
  status: FlagStatus = 'starting';
  lastError: { code: string; message: string } | undefined;
  readonly listeners: SourceListeners = { change: new Set(), status: new Set() };

  readonly #settings: Settings;
  readonly #api: ApiClient;
  readonly #reporter: Reporter;
  #list: Cached<FlagList> | undefined;
  #segments: Cached<unknown[]> | undefined;
  #isEnvironmentKnown = false;
  #stream: ChangeStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #loading = false;
  #reloadRequested = false;
  #failures = 0;
  /** Why the stream ended, until the next load shows whether it is a failure of its own. */
  #streamError: { code: string; message: string } | undefined;

  constructor(settings: Settings, api: ApiClient, reporter: Reporter) {
    this.#settings = settings;
    this.#api = api;
    this.#reporter = reporter;
  }

  start(): void {
    void this.#load();
    if (!this.#settings.stream) return;
    const { apiUrl, propertyId, secretApiKey } = this.#settings;
    const url = `${apiUrl}/v1/flags/stream?propertyId=${encodeURIComponent(propertyId)}`;
    this.#stream = new ChangeStream(url, secretApiKey, {
      onOpen: () => void this.#load(),
      onChange: () => void this.#load(),
      onDown: (error) => {
        // An outage that is known already: loading is being retried, and has reported it.
        if (this.#failures > 0) return;
        // Changes may be missed now: fetching shows whether the service is down, and reports that itself.
        this.#streamError = error;
        void this.#load();
      },
    });
  }

  close(): void {
    this.#stream?.close();
    clearTimeout(this.#timer);
    this.#setStatus('closed');
    this.listeners.change.clear();
    this.listeners.status.clear();
  }

  /** Resolves when the flags are loaded, when loading has failed for good, or after the timeout. */
  ready(timeoutMs: number): Promise<Result> {
    const now = this.#outcome();
    if (now) return Promise.resolve(now);
    return new Promise((resolve) => {
      const finish = (result: Result) => {
        clearTimeout(timer);
        this.listeners.status.delete(listener);
        resolve(result);
      };
      const listener = () => {
        const outcome = this.#outcome();
        if (outcome) finish(outcome);
      };
      const onTimeout = () => {
        const { code, message } = this.lastError ?? {
          code: 'timeout',
          message: 'The flags are not loaded yet.',
        };
        finish(failure(code, message));
      };
      const timer = setTimeout(onTimeout, timeoutMs);
      this.listeners.status.add(listener);
    });
  }

  #outcome(): Result | undefined {
    if (this.status === 'closed') return failure('closed', 'The client is closed.');
    if (this.state) return { success: true };
    if (this.status === 'error' && this.lastError) {
      return failure(this.lastError.code, this.lastError.message);
    }
    return undefined;
  }

  /** One load at a time; requests during a load cause one more load after it. */
  async #load(): Promise<void> {
    this.#reloadRequested = this.#loading;
    if (this.#loading || this.status === 'closed') return;
    this.#loading = true;
    clearTimeout(this.#timer);
    const streamError = this.#streamError;
    const failed = await this.#refresh().catch(() => INVALID_RESPONSE);
    this.#loading = false;
    // The client may have been closed in the meantime.
    if ((this.status as FlagStatus) === 'closed') return;
    this.#failures = failed ? this.#failures + 1 : 0;
    if (failed) this.#fail(failed);
    else {
      if (streamError) this.#reporter.problem(streamError);
      this.#setStatus('ready');
    }
    // An error during this load belongs to the next one, unless both have failed.
    if (failed || this.#streamError === streamError) this.#streamError = undefined;
    if (this.#reloadRequested && !failed) return this.#load();
    this.#reloadRequested = false;
    this.#timer = setTimeout(() => void this.#load(), this.#nextDelay(failed)).unref();
  }

  #nextDelay(failed: ApiFailure | undefined): number {
    const { pollIntervalMs } = this.#settings;
    if (!failed?.transient) return pollIntervalMs;
    const delay = retryDelay(this.#failures, failed.retryAfterMs, Math.random);
    return Math.max(failed.retryAfterMs, Math.min(delay, pollIntervalMs));
  }

  #fail(failed: ApiFailure): void {
    this.lastError = failed.error;
    this.#reporter.problem(failed.error);
    if (this.state) this.#setStatus('stale');
    else if (!failed.transient) this.#setStatus('error');
  }

  /** Fetches what has changed and replaces the state; returns the failure, if any. */
  async #refresh(): Promise<ApiFailure | undefined> {
    const { environment } = this.#settings;
    const fetched = await this.#get('/v1/flags/list', this.#list?.etag);
    if (!fetched.success) return fetched;
    let list = this.#list;
    if (fetched.status !== 304) {
      if (!isFlagList(fetched.data)) return INVALID_RESPONSE;
      list = { value: fetched.data, etag: fetched.etag };
    }
    if (!list) return INVALID_RESPONSE;
    let segments = this.#segments;
    if (usesSegments(list.value, environment)) {
      const result = await this.#get('/v1/flags/segments', segments?.etag);
      if (!result.success) return result;
      if (result.status !== 304) {
        const { segments: value } = result.data as { segments?: unknown };
        if (!Array.isArray(value)) return INVALID_RESPONSE;
        segments = { value, etag: result.etag };
      }
    }
    if (this.state && list === this.#list && segments === this.#segments) return undefined;
    const failed = await this.#checkEnvironment(list.value);
    if (failed) return failed;
    this.#replace(compileState(list.value, segments?.value ?? [], environment));
    this.#list = list;
    this.#segments = segments;
    return undefined;
  }

  #replace(state: FlagState): void {
    const before = this.state;
    this.state = state;
    const keys = before ? changedKeys(before, state) : [];
    if (keys.length > 0) for (const listener of this.listeners.change) listener([...keys]);
  }

  /** The list does not name environments: with a misspelled one, every flag would silently have its default. */
  async #checkEnvironment({ configs }: FlagList): Promise<ApiFailure | undefined> {
    const { environment, propertyId, timeoutMs, secretApiKey } = this.#settings;
    if (this.#isEnvironmentKnown || configs.some(({ environmentId }) => environmentId === environment)) {
      this.#isEnvironmentKnown = true;
      return undefined;
    }
    const result = await this.#api.call({
      method: 'POST',
      path: '/v1/flags/evaluate',
      key: secretApiKey,
      body: { propertyId, environment, flagKeys: [] },
      timeoutMs,
      retry: true,
      background: true,
    });
    if (!result.success) return result;
    this.#isEnvironmentKnown = true;
    return undefined;
  }

  #get(path: string, etag: string | null | undefined): Promise<ApiResult> {
    const { propertyId, secretApiKey, timeoutMs } = this.#settings;
    return this.#api.call({
      method: 'GET',
      path,
      key: secretApiKey,
      query: { propertyId },
      headers: etag ? { 'if-none-match': etag } : {},
      timeoutMs,
      retry: false,
    });
  }

  #setStatus(status: FlagStatus): void {
    if (this.status === status || this.status === 'closed') return;
    this.status = status;
    for (const listener of [...this.listeners.status]) listener(status);
  }
}
