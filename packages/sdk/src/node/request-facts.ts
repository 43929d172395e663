import { cookieId, SESSION_COOKIE, VISITOR_COOKIE } from '../client/identity.ts';

/** What the SDK reads from a request. */
export interface RequestFacts {
  sessionId: string | undefined;
  visitorId: string | undefined;
  userAgent: string | undefined;
  referrer: string | undefined;
  /** The first language of `Accept-Language`. */
  language: string | undefined;
  /** Path and query, or a full URL. */
  url: string | undefined;
  /** Whether it came over HTTPS. */
  secure: boolean;
  /** The `Cookie` header. */
  cookies: string | undefined;
  /** Do Not Track or Global Privacy Control. */
  private: boolean;
}

/** A request of any server framework; see `readRequest`. */
interface RequestLike {
  headers?: unknown;
  url?: unknown;
  originalUrl?: unknown;
  protocol?: unknown;
  socket?: { encrypted?: unknown };
}

const UNKNOWN: RequestFacts = {
  sessionId: undefined,
  visitorId: undefined,
  userAgent: undefined,
  referrer: undefined,
  language: undefined,
  url: undefined,
  secure: false,
  cookies: undefined,
  private: false,
};

/** Reads a Node, Express, Fastify or Fetch request, a `Headers` object, or the text of a `Cookie` header. */
export function readRequest(request: unknown): RequestFacts {
  try {
    if (typeof request === 'string') return { ...UNKNOWN, ...idsOf(request), cookies: request };
    if (typeof request !== 'object' || request === null) return UNKNOWN;
    const like = request as RequestLike;
    const headers = isFetchHeaders(request) ? request : like.headers;
    const cookies = header(headers, 'cookie');
    const url = textOf(like.originalUrl) ?? textOf(like.url);
    return {
      ...idsOf(cookies),
      cookies,
      userAgent: header(headers, 'user-agent'),
      referrer: header(headers, 'referer'),
      language: header(headers, 'accept-language')?.split(/[,;]/)[0]?.trim() || undefined,
      url,
      secure:
        like.protocol === 'https' ||
        like.socket?.encrypted === true ||
        url?.startsWith('https:') === true ||
        header(headers, 'x-forwarded-proto')?.split(',')[0]?.trim() === 'https',
      private: header(headers, 'dnt') === '1' || header(headers, 'sec-gpc') === '1',
    };
  } catch {
    // Some object with throwing getters.
    return UNKNOWN;
  }
}

function idsOf(cookies: string | undefined): Pick<RequestFacts, 'sessionId' | 'visitorId'> {
  return { sessionId: cookieId(cookies, SESSION_COOKIE), visitorId: cookieId(cookies, VISITOR_COOKIE) };
}

const isFetchHeaders = (value: unknown): value is { get(name: string): string | null } =>
  typeof (value as { get?: unknown } | undefined)?.get === 'function' &&
  typeof (value as { append?: unknown }).append === 'function';

/** A header of a Node or Fetch request; `undefined` if there is none. */
export function header(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined;
  const fields = headers as Record<string, unknown>;
  const field = Object.keys(fields).find((key) => key.toLowerCase() === name);
  const value = field === undefined ? undefined : fields[field];
  if (Array.isArray(value)) return value.map(String).join('; ');
  return textOf(value);
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The query of a full or relative URL. */
export function queryOf(url: string | undefined): URLSearchParams {
  const at = url?.indexOf('?') ?? -1;
  return new URLSearchParams(at < 0 ? '' : url?.slice(at + 1).replace(/#.*$/s, ''));
}
