import { failure } from '../client/result.ts';
import { isTransient, parseRetryAfter, retryDelay } from '../client/retry.ts';

export interface ApiCall {
  method: 'GET' | 'POST';
  path: string;
  key: string;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
  /** The longest it may take, retries included. */
  timeoutMs: number;
  /** Whether sending it twice does what sending it once does. */
  retry: boolean;
  /** Nobody waits for it: the pauses between its retries do not keep the process alive. */
  background?: boolean;
}

interface ApiSuccess {
  success: true;
  status: number;
  /** The JSON of the answer; `undefined` for 304. */
  data: unknown;
  etag: string | null;
}

export interface ApiFailure {
  success: false;
  error: { code: string; message: string };
  /** Whether the same call may succeed later. */
  transient: boolean;
  retryAfterMs: number;
}

export type ApiAnswer = ApiSuccess | ApiFailure;

/** Calls for whose answer somebody waits start again sooner than what happens in the background. */
const HASTE = 5;

interface FailureOptions {
  transient?: boolean;
  retryAfterMs?: number;
}

export const apiFailure = (
  code: string,
  message: string,
  { transient = false, retryAfterMs = 0 }: FailureOptions = {},
): ApiFailure => ({ ...failure(code, message), transient, retryAfterMs });

/** The HTTP side of the SDK: every call ends in an answer, in time, and never throws. */
export class ApiClient {
  readonly #apiUrl: string;
  readonly #running = new Set<AbortController>();
  readonly #refusal: ApiFailure | undefined;
  #closed = false;

  /** With a problem in the options nothing is sent: every call answers it. */
  constructor(apiUrl: string, problem?: { error: { code: string; message: string } }) {
    this.#apiUrl = apiUrl;
    this.#refusal = problem && apiFailure(problem.error.code, problem.error.message);
  }

  /** Ends what is under way; every call after it answers `closed`. */
  close(): void {
    this.#closed = true;
    for (const controller of this.#running) controller.abort();
  }

  async call(call: ApiCall): Promise<ApiAnswer> {
    if (this.#refusal) return this.#refusal;
    const deadline = performance.now() + call.timeoutMs;
    let request: { url: string; body: string | undefined };
    try {
      request = { url: this.#apiUrl + call.path + queryText(call.query), body: JSON.stringify(call.body) };
    } catch (error) {
      return apiFailure('invalid_argument', `The arguments cannot be sent as JSON: ${messageOf(error)}`);
    }
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#attempt(call, request, deadline - performance.now());
      if (answer.success || !answer.transient || !call.retry) return answer;
      const delay = Math.max(answer.retryAfterMs, retryDelay(attempt, 0, Math.random) / HASTE);
      if (performance.now() + delay >= deadline) return answer;
      await pause(delay, call.background === true);
    }
  }

  async #attempt(
    call: ApiCall,
    { url, body }: { url: string; body: string | undefined },
    ms: number,
  ): Promise<ApiAnswer> {
    if (this.#closed) return apiFailure('closed', 'The client is closed.');
    const controller = new AbortController();
    this.#running.add(controller);
    let late = false;
    const timer = setTimeout(
      () => {
        late = true;
        controller.abort();
      },
      Math.max(0, ms),
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
        // The key must not follow a redirection to another host, nor the answer come from a framework's cache.
        redirect: 'manual',
        cache: 'no-store',
        signal: controller.signal,
      });
      return await readAnswer(response);
    } catch (error) {
      if (late)
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

async function readAnswer(response: Response): Promise<ApiAnswer> {
  const { status, headers } = response;
  const body = await response.text();
  if (status === 304) return { success: true, status, data: undefined, etag: headers.get('etag') };
  const data = parsed(body);
  if (response.ok && data !== undefined) return { success: true, status, data, etag: headers.get('etag') };
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), Date.now());
  const { code, message } = describe(status, headers, data);
  return apiFailure(code, message, { transient: isTransient(status), retryAfterMs });
}

function describe(status: number, headers: Headers, data: unknown): { code: string; message: string } {
  const problem = data as { error?: { code?: unknown; message?: unknown }; errors?: unknown } | undefined;
  const { code, message } = problem?.error ?? {};
  if (typeof code === 'string') return { code, message: String(message ?? code) + fieldsOf(problem?.errors) };
  const location = headers.get('location');
  const what = location === null ? ' with what is no JSON of its own' : `, a redirection to ${location}`;
  return {
    code: 'unexpected_answer',
    message: `The service answered ${status}${what}: is \`apiUrl\` right?`,
  };
}

/** A validation error names every wrong field; without them its message helps nobody. */
function fieldsOf(errors: unknown): string {
  if (!Array.isArray(errors) || errors.length === 0) return '';
  return ` (${errors.map((each) => `${each?.pointer}: ${each?.detail}`).join('; ')})`;
}

function parsed(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function queryText(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** The cause of a failed fetch says more than the failure: `connect ECONNREFUSED …`. */
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
