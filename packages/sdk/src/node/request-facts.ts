import { cookieId, SESSION_COOKIE, VISITOR_COOKIE } from '../client/identity.ts';

/** What a request says; `undefined` where it does not. */
export interface RequestFacts {
  sessionId: string | undefined;
  visitorId: string | undefined;
  userAgent: string | undefined;
  /** Path and query, or a whole address. */
  url: string | undefined;
  /** Whether it came by https. */
  secure: boolean;
  /** Do Not Track or Global Privacy Control. */
  private: boolean;
}

/** Whatever a server framework hands over; see `readRequest`. */
interface RequestLike {
  headers?: unknown;
  url?: unknown;
  originalUrl?: unknown;
  protocol?: unknown;
  socket?: { encrypted?: unknown };
}

const NOTHING: RequestFacts = {
  sessionId: undefined,
  visitorId: undefined,
  userAgent: undefined,
  url: undefined,
  secure: false,
  private: false,
};

/** Reads a Node, Express, Fastify or Fetch request, a `Headers` object, or the text of a `Cookie` header. */
export function readRequest(request: unknown): RequestFacts {
  try {
    if (typeof request === 'string') return { ...NOTHING, ...idsOf(request) };
    if (typeof request !== 'object' || request === null) return NOTHING;
    const given = request as RequestLike;
    const headers = isFetchHeaders(request) ? request : given.headers;
    const url = textOf(given.originalUrl) ?? textOf(given.url);
    return {
      ...idsOf(header(headers, 'cookie')),
      userAgent: header(headers, 'user-agent'),
      url,
      secure:
        given.protocol === 'https' ||
        given.socket?.encrypted === true ||
        url?.startsWith('https:') === true ||
        header(headers, 'x-forwarded-proto')?.split(',')[0]?.trim() === 'https',
      private: header(headers, 'dnt') === '1' || header(headers, 'sec-gpc') === '1',
    };
  } catch {
    // A request of an unknown kind whose members cannot be read tells nothing.
    return NOTHING;
  }
}

function idsOf(cookies: string | undefined): Pick<RequestFacts, 'sessionId' | 'visitorId'> {
  return { sessionId: cookieId(cookies, SESSION_COOKIE), visitorId: cookieId(cookies, VISITOR_COOKIE) };
}

const isFetchHeaders = (value: unknown): value is { get(name: string): string | null } =>
  typeof (value as { get?: unknown } | undefined)?.get === 'function' &&
  typeof (value as { append?: unknown }).append === 'function';

function header(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined;
  const fields = headers as Record<string, unknown>;
  const written = Object.keys(fields).find((field) => field.toLowerCase() === name);
  const value = written === undefined ? undefined : fields[written];
  if (Array.isArray(value)) return value.map(String).join('; ');
  return textOf(value);
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The query of an address, however much of it there is. */
export function queryOf(url: string | undefined): URLSearchParams {
  const at = url?.indexOf('?') ?? -1;
  return new URLSearchParams(at < 0 ? '' : url?.slice(at + 1).replace(/#.*$/s, ''));
}
