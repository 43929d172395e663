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
import { changedList, changedSegments, type FlagUpdate, isSameTag, parseUpdate } from './flag-update.ts';

/**
 * `starting`: not loaded yet. `ready`: up to date. `stale`: updates fail, and the last known state is used. `error`: the
 * service rejects the request, and there is no state at all.
 */
export type FlagStatus = 'starting' | 'ready' | 'stale' | 'error' | 'closed';

/** Why flags cannot be loaded. */
export interface FlagError {
  readonly code: string;
  readonly message: string;
}

/** A response with its ETag, for conditional requests. */
interface Cached<T> {
  value: T;
  etag: string | null;
}

interface SourceListeners {
  change: Set<(keys: string[]) => void>;
  /** With what went wrong, if it is `stale` or `error`. */
  status: Set<(status: FlagStatus, error?: FlagError) => void>;
}

/** Most streams are back within this time after they ended. */
const RECONNECT_MS = 2000;
export const NOT_LOADED = 'The flags are not loaded yet.';

const INVALID_RESPONSE = apiFailure('unexpected_response', 'The response is not a list of flags.', {
  transient: true,
});

/** Caches the flags of one environment: fetches them at the start, changes them by the stream, and polls. */
export class FlagSource {
  /** The current flags; `undefined` before they are loaded. */
  state: FlagState | undefined;
  status: FlagStatus = 'starting';
  lastError: FlagError | undefined;
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
  /** What the stream said during a load. */
  #updateDuringLoad: FlagUpdate | undefined;
  #isFetchPlanned = false;
  /** Of the first caller; others join it, or return at once when it is over. */
  #firstWait: Promise<Result> | undefined;
  #failures = 0;
  /** Why the stream ended, until the next load shows whether it is a failure of its own. */
  #streamError: FlagError | undefined;

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
      onUpdate: (data) => this.#receive(parseUpdate(data)),
      onDown: (error) => {
        // An outage that is known already: loading is being retried, and has reported it.
        if (this.#failures > 0) return;
        // Changes may be missed now: fetching shows whether the service is down, and reports that itself. Usually the
        // stream is back before, and knows whether anything was missed.
        this.#streamError = error;
        if (this.#loading) void this.#load();
        else this.#planFetch(RECONNECT_MS);
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
    const loaded = this.#loadedWithin(timeoutMs);
    this.#firstWait ??= loaded;
    return loaded;
  }

  /** Like `ready`, but the wait of the first caller is the only one: an outage must not delay every evaluation. */
  async readyOnce(timeoutMs: number): Promise<Result> {
    await (this.#firstWait ?? this.ready(timeoutMs));
    return this.#outcome() ?? this.#notLoaded();
  }

  #loadedWithin(timeoutMs: number): Promise<Result> {
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
      const timer = setTimeout(() => finish(this.#notLoaded()), timeoutMs);
      this.listeners.status.add(listener);
    });
  }

  #notLoaded(): Result {
    const { code, message } = this.lastError ?? { code: 'timeout', message: NOT_LOADED };
    return failure(code, message);
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
    this.#isFetchPlanned = false;
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
    this.#loadAfter(this.#nextDelay(failed));
    const update = this.#updateDuringLoad;
    this.#updateDuringLoad = undefined;
    if (update && !failed) this.#receive(update);
  }

  #loadAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#load(), ms).unref();
  }

  /** Fetches only if the update does not contain everything, and not at the same time as all other clients. */
  #receive(update: FlagUpdate): void {
    if (this.#loading) this.#updateDuringLoad = update;
    else if (!this.#has(update) && !this.#apply(update)) this.#planFetch(update.spreadMs);
    else if (this.#failures > 0 || this.#isFetchPlanned) {
      this.#failures = 0;
      this.#isFetchPlanned = false;
      this.#streamError = undefined;
      this.#setStatus('ready');
      this.#loadAfter(this.#settings.pollIntervalMs);
    }
  }

  #planFetch(spreadMs: number): void {
    if (this.#isFetchPlanned) return;
    this.#isFetchPlanned = true;
    this.#loadAfter(Math.random() * spreadMs);
  }

  #has({ etags }: FlagUpdate): boolean {
    const list = this.#list;
    if (!list || !isSameTag(list.etag, etags.list)) return false;
    return (
      !usesSegments(list.value, this.#settings.environment) || isSameTag(this.#segments?.etag, etags.segments)
    );
  }

  /** False if the change is based on something else than what is known here. */
  #apply({ delta, etags }: FlagUpdate): boolean {
    const { environment } = this.#settings;
    if (!delta || !this.#list || !isSameTag(this.#list.etag, delta.from.list)) return false;
    try {
      const list = { value: changedList(this.#list.value, delta), etag: etags.list };
      let segments = this.#segments;
      if (segments && isSameTag(segments.etag, delta.from.segments)) {
        segments = { value: changedSegments(segments.value, delta), etag: etags.segments };
      } else if (usesSegments(list.value, environment)) return false;
      this.#replace(compileState(list.value, segments?.value ?? [], environment));
      this.#list = list;
      this.#segments = segments;
      return true;
    } catch {
      return false;
    }
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
    const error = status === 'stale' || status === 'error' ? this.lastError : undefined;
    for (const listener of [...this.listeners.status]) listener(status, error);
  }
}
