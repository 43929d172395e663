import { createHash } from 'node:crypto';

/** A response to a page, for any framework. */
export interface RelayResponse {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer>;
}

/** Never cached, unless the headers say otherwise. */
export function jsonResponse(
  body: object | string,
  { status = 200, headers = {} }: Partial<Omit<RelayResponse, 'body'>> = {},
): RelayResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

export const etagOf = (body: string): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

/** The response, or 304 if the page already has this version. Proxies that compress make tags weak. */
export function unlessUnchanged(
  response: RelayResponse,
  etag: string,
  ifNoneMatch: string | undefined,
): RelayResponse {
  const headers = { ...response.headers, etag };
  const isUnchanged = ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  if (!isUnchanged) return { ...response, headers };
  const { 'content-type': _type, 'content-encoding': _encoding, ...rest } = headers as Record<string, string>;
  return { status: 304, headers: rest, body: '' };
}
