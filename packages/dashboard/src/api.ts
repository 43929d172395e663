import type { FieldError, Problem } from '@switchyard/core/api/problem';

/** A response that is not a success, or no response at all (`status` 0). */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: readonly FieldError[];
  /** The whole document, for example with `current` and `conflicts`. */
  readonly document: Readonly<Partial<Problem>>;

  constructor(status: number, document: Partial<Problem>) {
    super(document.error?.message ?? describeStatus(status));
    this.status = status;
    this.code = document.error?.code ?? (status === 0 ? 'no_connection' : `http_${status}`);
    this.fields = document.errors ?? [];
    this.document = document;
  }
}

/** A lost connection or an overloaded server may come back; a refused request stays refused. */
export const isTemporary = (error: unknown): boolean =>
  !(error instanceof ApiProblem) || error.status === 0 || error.status === 429 || error.status >= 500;

/** Stored events cannot be read for now: their figures come later, which is no reason to alarm anybody. */
export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof ApiProblem && error.code === 'event_store_unavailable';

/** How often to ask again for figures that are late. */
export const LATE_REFRESH_MS = 5000;

function describeStatus(status: number): string {
  if (status === 0) return 'Cannot reach the server. Check your connection.';
  if (status >= 500) return 'The server cannot answer at the moment. Try again shortly.';
  return `The server answered with status ${status}.`;
}

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Undefined and empty values are left out. */
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface ApiResponse<T> {
  status: number;
  etag: string | null;
  body: T;
}

/** Event of the window: the session had expired, and the same account has signed in again. */
export const SIGNED_IN_AGAIN = 'switchyard:signed-in-again';

/** Asks for a new sign-in; resolves to whether the request can be repeated. */
type SessionExpired = () => Promise<boolean>;
let onSessionExpired: SessionExpired = async () => false;

export function handleSessionExpired(handler: SessionExpired): void {
  onSessionExpired = handler;
}

/** The dashboard has no API key: where one would do, a cookie is missing. */
const SIGNED_OUT: ReadonlySet<string> = new Set(['sign_in_required', 'api_key_missing']);

/** Sends a request and returns the body of the response; throws an `ApiProblem`. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return (await requestResponse<T>(path, options)).body;
}

/** Like `request`, with status and entity tag. */
export async function requestResponse<T>(
  path: string,
  options: RequestOptions = {},
): Promise<ApiResponse<T>> {
  try {
    return await send<T>(path, options);
  } catch (error) {
    const isExpired = error instanceof ApiProblem && SIGNED_OUT.has(error.code);
    if (!isExpired || !(await onSessionExpired())) throw error;
    return send<T>(path, options);
  }
}

async function send<T>(path: string, options: RequestOptions): Promise<ApiResponse<T>> {
  const { method = 'GET', query, body, headers, signal } = options;
  const response = await fetch(path + queryText(query), {
    method,
    credentials: 'same-origin',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiProblem(0, {});
  });
  const text = response.status === 304 ? '' : await response.text();
  if (!response.ok && response.status !== 304) {
    throw new ApiProblem(response.status, parseProblem(text));
  }
  const isJson = response.headers.get('content-type')?.includes('json');
  const parsed = text === '' ? undefined : isJson ? JSON.parse(text) : text;
  return { status: response.status, etag: response.headers.get('etag'), body: parsed as T };
}

function parseProblem(text: string): Partial<Problem> {
  try {
    return JSON.parse(text) as Problem;
  } catch {
    return {};
  }
}

export function queryText(query: RequestOptions['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Path below `/v1/manage/properties/{propertyId}`; each segment is encoded. */
export function propertyPath(propertyId: string, ...segments: string[]): string {
  return ['/v1/manage/properties', propertyId, ...segments]
    .map((segment, index) => (index === 0 ? segment : encodeURIComponent(segment)))
    .join('/');
}

/** Text for people, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
