import type { RelayRequest } from './relay-request.ts';

/**
 * Whether a request comes from a page of this site. Browsers do not let pages change these headers, and a page of
 * another site cannot send JSON without them. Requests that only read may come without any.
 */
export function isOwnOrigin(request: RelayRequest, origins: ReadonlySet<string>): boolean {
  const isRead = request.method !== 'POST';
  const site = request.header('sec-fetch-site');
  // `none`: somebody typed the URL.
  if (site !== undefined) return site === 'same-origin' || (isRead && site === 'none');
  const origin = request.header('origin');
  if (origin === undefined) return isRead;
  return origins.has(origin) || request.hosts.some((host) => isOriginOf(origin, host));
}

/** Compares host and port only: a server behind a proxy does not know the protocol. */
function isOriginOf(origin: string, host: unknown): boolean {
  const [, ownHost] = /^https?:\/\/([^/]+)$/.exec(origin) ?? [];
  return typeof host === 'string' && ownHost === host.toLowerCase().replace(/:(80|443)$/, '');
}
