import { parseRetryAfter } from '@switchyard/core/retry-after';
import { failure } from '../client/result.ts';
import { isTransient, retryDelay } from '../client/retry.ts';
import { narratePayload } from '../narration/narrate-payload.ts';
import type { Reporter } from './reporter.ts';

export interface ApiCall {
  method: 'GET' | 'POST';
  path: string;
  key: string;
  query?: Record<string, unknown>;
  body?: unknown;
  /** JSON that is sent unchanged, instead of `body`. */
  rawBody?: string;
  headers?: Record<string, string>;
  /** Max duration, retries included. */
  timeoutMs: number;
  /** Retry on transient failures; only for idempotent calls. */
  retry: boolean;
  /** Nobody waits for the result: delays between retries do not keep the process alive. */
  background?: boolean;
}

interface ApiSuccess {
  success: true;
  status: number;
  /** The JSON of the response; `undefined` for 304. */
  data: unknown;
  etag: string | null;
}

export interface ApiFailure {
  success: false;
  error: { code: string; message: string };
  /** Whether the same call may succeed later. */
  transient: boolean;
  retryAfterMs: number;
  /** `undefined` without a response. */
  status?: number;
}

export type ApiResult = ApiSuccess | ApiFailure;

/** Calls that somebody waits for are retried sooner than background work. */
const FOREGROUND_SPEEDUP = 5;

interface FailureOptions {
  transient?: boolean;
  retryAfterMs?: number;
}

export const apiFailure = (
  code: string,
  message: string,
  { transient = false, retryAfterMs = 0 }: FailureOptions = {},
): ApiFailure => ({ ...failure(code, message), transient, retryAfterMs });

/** The HTTP client of the SDK. Calls never throw, and end within their timeout. */
export class ApiClient {
  readonly #apiUrl: string;
  readonly #running = new Set<AbortController>();
  readonly #optionsFailure: ApiFailure | undefined;
  readonly #reporter: Reporter;
  #closed = false;

  /** If the options are invalid, nothing is sent and every call returns that problem. */
  constructor(
    apiUrl: string,
    reporter: Reporter,
    problem?: { error: { code: string; message: string } } | undefined,
  ) {
    this.#apiUrl = apiUrl;
    this.#reporter = reporter;
    this.#optionsFailure = problem && apiFailure(problem.error.code, problem.error.message);
  }

  /** Aborts running calls; later calls fail with `closed`. */
  close(): void {
    this.#closed = true;
    for (const controller of this.#running) controller.abort();
  }

  async call(call: ApiCall): Promise<ApiResult> {
    if (this.#optionsFailure) return this.#optionsFailure;
    const deadline = performance.now() + call.timeoutMs;
    let request: { url: string; body: string | undefined };
    try {
      const body = call.rawBody ?? JSON.stringify(call.body);
      request = { url: this.#apiUrl + call.path + queryString(call.query), body };
    } catch (error) {
      return apiFailure('invalid_argument', `The arguments cannot be sent as JSON: ${messageOf(error)}`);
    }
    for (let attempt = 1; ; attempt++) {
      const result = await this.#attempt(call, request, deadline - performance.now());
      this.#report(call, result);
      if (result.success || !result.transient || !call.retry) return result;
      const delay = Math.max(result.retryAfterMs, retryDelay(attempt, 0, Math.random) / FOREGROUND_SPEEDUP);
      if (performance.now() + delay >= deadline) return result;
      if (this.#reporter.isNarrating) {
        this.#reporter.narrate(`trying ${call.method} ${call.path} again in ${Math.ceil(delay)} ms`);
      }
      await pause(delay, call.background === true);
    }
  }

  /** Warns about refused keys, and narrates what was sent and how it ended. */
  #report({ method, path, body, rawBody }: ApiCall, result: ApiResult): void {
    if (!result.success) this.#reporter.refusal(result.error);
    if (!this.#reporter.isNarrating) return;
    const what = narratePayload(path, rawBody ?? body);
    const sent = `${method} ${path}${what && ` (${what})`}`;
    this.#reporter.narrate(
      result.success
        ? `acknowledged: ${sent}, ${result.status}`
        : `failed: ${sent}, ${result.error.message} (${result.error.code})`,
    );
  }

  async #attempt(
    call: ApiCall,
    { url, body }: { url: string; body: string | undefined },
    timeoutMs: number,
  ): Promise<ApiResult> {
    if (this.#closed) return apiFailure('closed', 'The client is closed.');
    const controller = new AbortController();
    this.#running.add(controller);
    let isTimedOut = false;
    const timer = setTimeout(
      () => {
        isTimedOut = true;
        controller.abort();
      },
      Math.max(0, timeoutMs),
    );
    try {
      const response = await fetch(url, {
        method: call.method,
        headers: {
          'x-api-key': call.key,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...call.headers,
        },
        ...(body === undefined ? {} : { body }),
        // The key must not be sent to a redirect target, and frameworks that patch `fetch` must not cache.
        redirect: 'manual',
        cache: 'no-store',
        signal: controller.signal,
      });
      return await readResponse(response);
    } catch (error) {
      if (isTimedOut)
        return apiFailure('timeout', `The service did not respond within ${call.timeoutMs} ms.`, {
          transient: true,
        });
      if (this.#closed) return apiFailure('closed', 'The client was closed during the call.');
      return apiFailure('network_error', `Cannot reach the service: ${messageOf(error)}`, {
        transient: true,
      });
    } finally {
      clearTimeout(timer);
      this.#running.delete(controller);
    }
  }
}

async function readResponse(response: Response): Promise<ApiResult> {
  const { status, headers } = response;
  const body = await response.text();
  if (status === 304) return { success: true, status, data: undefined, etag: headers.get('etag') };
  const data = parseObject(body);
  if (response.ok && data !== undefined) return { success: true, status, data, etag: headers.get('etag') };
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), Date.now());
  const { code, message } = describeFailure(status, headers, data);
  return { ...apiFailure(code, message, { transient: isTransient(status), retryAfterMs }), status };
}

function describeFailure(status: number, headers: Headers, data: unknown): { code: string; message: string } {
  const problem = data as { error?: { code?: unknown; message?: unknown }; errors?: unknown } | undefined;
  const { code, message } = problem?.error ?? {};
  if (typeof code === 'string') {
    const text = String(message ?? code);
    return { code, message: text + fieldsOf(problem?.errors, text) };
  }
  const location = headers.get('location');
  const what = location === null ? 'but not in its JSON format' : `with a redirect to ${location}`;
  return {
    code: 'unexpected_response',
    message: `The server responded with ${status}, ${what}. Check \`apiUrl\`.`,
  };
}

/** Validation errors list every invalid field. The message of some errors says it already. */
function fieldsOf(errors: unknown, message: string): string {
  if (!Array.isArray(errors)) return '';
  const fields = errors.filter((error) => !message.includes(error?.detail));
  if (fields.length === 0) return '';
  return ` (${fields.map((error) => `${error?.pointer}: ${error?.detail}`).join('; ')})`;
}

function parseObject(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function queryString(query: Record<string, unknown> = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (entries.length === 0) return '';
  return `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`;
}

/** Prefers the cause of a failed fetch, such as `connect ECONNREFUSED …`, to the generic error. */
export function messageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || (cause as { code?: string }).code || cause.name;
}

export function pause(ms: number, background: boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (background) timer.unref();
  });
}
