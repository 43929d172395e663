import type { Result } from '../../client/result.ts';
import { failure } from '../../client/result.ts';
import { retryDelay } from '../../client/retry.ts';
import { type ApiAnswer, type ApiClient, type ApiFailure, apiFailure } from '../api-client.ts';
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
 * `starting`: nothing is known yet. `ready`: the flags are as the service has them. `stale`: the service is away or
 * refuses, and the last good state answers. `error`: it refuses, and there is no state at all.
 */
export type FlagStatus = 'starting' | 'ready' | 'stale' | 'error' | 'closed';

/** A part of the state with the tag that asks whether it has changed. */
interface Tagged<T> {
  value: T;
  etag: string | null;
}

interface SourceListeners {
  change: Set<(keys: string[]) => void>;
  status: Set<(status: FlagStatus) => void>;
}

const UNREADABLE = apiFailure('unexpected_answer', 'The response is not a list of flags.', {
  transient: true,
});

/** Keeps the flags of one environment here, and fresh: fetched at once, on every change, and from time to time. */
export class FlagSource {
  /** What answers now; `undefined` before the first load. */
  state: FlagState | undefined;
  status: FlagStatus = 'starting';
  lastError: { code: string; message: string } | undefined;
  readonly listeners: SourceListeners = { change: new Set(), status: new Set() };

  readonly #settings: Settings;
  readonly #api: ApiClient;
  readonly #reporter: Reporter;
  #list: Tagged<FlagList> | undefined;
  #segments: Tagged<unknown[]> | undefined;
  #knownEnvironment = false;
  #stream: ChangeStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #loading = false;
  #again = false;
  #failures = 0;

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
        this.#reporter.problem(error);
        // Whether changes are missed is what the next look at the service tells.
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

  /** Resolves when there is a state, when it is clear that there will be none, or when the time is over. */
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
      const late = () => {
        const { code, message } = this.lastError ?? { code: 'timeout', message: 'No answer so far.' };
        finish(failure(code, message));
      };
      const timer = setTimeout(late, timeoutMs);
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

  /** One at a time; what is asked for meanwhile happens after it, once. */
  async #load(): Promise<void> {
    this.#again = this.#loading;
    if (this.#loading || this.status === 'closed') return;
    this.#loading = true;
    clearTimeout(this.#timer);
    const failed = await this.#refresh().catch(() => UNREADABLE);
    this.#loading = false;
    // `close` may have come while the answer was on its way.
    if ((this.status as FlagStatus) === 'closed') return;
    this.#failures = failed ? this.#failures + 1 : 0;
    if (failed) this.#fail(failed);
    else this.#setStatus('ready');
    if (this.#again && !failed) return this.#load();
    this.#again = false;
    this.#timer = setTimeout(() => void this.#load(), this.#nextLook(failed)).unref();
  }

  #nextLook(failed: ApiFailure | undefined): number {
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

  /** Fetches what has changed and puts it in place; the failure if there was one. */
  async #refresh(): Promise<ApiFailure | undefined> {
    const { environment } = this.#settings;
    const fetched = await this.#get('/v1/flags/list', this.#list?.etag);
    if (!fetched.success) return fetched;
    let list = this.#list;
    if (fetched.status !== 304) {
      if (!isFlagList(fetched.data)) return UNREADABLE;
      list = { value: fetched.data, etag: fetched.etag };
    }
    if (!list) return UNREADABLE;
    let segments = this.#segments;
    if (usesSegments(list.value, environment)) {
      const answer = await this.#get('/v1/flags/segments', segments?.etag);
      if (!answer.success) return answer;
      if (answer.status !== 304) {
        const { segments: given } = answer.data as { segments?: unknown };
        if (!Array.isArray(given)) return UNREADABLE;
        segments = { value: given, etag: answer.etag };
      }
    }
    if (this.state && list === this.#list && segments === this.#segments) return undefined;
    const unknown = await this.#checkEnvironment(list.value);
    if (unknown) return unknown;
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

  /** The list does not name environments: a misspelt one would quietly give every flag its default. */
  async #checkEnvironment({ configs }: FlagList): Promise<ApiFailure | undefined> {
    const { environment, propertyId, timeoutMs, secretApiKey } = this.#settings;
    if (this.#knownEnvironment || configs.some(({ environmentId }) => environmentId === environment)) {
      this.#knownEnvironment = true;
      return undefined;
    }
    const answer = await this.#api.call({
      method: 'POST',
      path: '/v1/flags/evaluate',
      key: secretApiKey,
      body: { propertyId, environment, flagKeys: [] },
      timeoutMs,
      retry: true,
      background: true,
    });
    if (!answer.success) return answer;
    this.#knownEnvironment = true;
    return undefined;
  }

  #get(path: string, etag: string | null | undefined): Promise<ApiAnswer> {
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
