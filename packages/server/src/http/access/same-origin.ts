import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/errors/errors.ts';

/** The origin under which the client reaches this server, as far as the server can tell. */
export function ownOrigin({ protocol, host }: FastifyRequest, publicUrl: string | undefined): string {
  return publicUrl === undefined ? `${protocol}://${host}` : new URL(publicUrl).origin;
}

/**
 * Rejects requests that a page of another origin makes a browser send. Browsers do not let pages change these headers.
 * Without any of them the request does not come from a current browser: allowed unless a cookie authenticates it.
 */
export function requireSameOrigin(
  request: FastifyRequest,
  publicUrl: string | undefined,
  { withoutHeaders }: { withoutHeaders: 'allow' | 'refuse' },
): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined) {
    if (isOwn(origin, request, publicUrl)) return;
  } else if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return;
  } else if (withoutHeaders === 'allow') return;
  throw new ApiError('cross_origin');
}

function isOwn(origin: string, request: FastifyRequest, publicUrl: string | undefined): boolean {
  if (origin === ownOrigin(request, publicUrl) || origin === ownOrigin(request, undefined)) return true;
  // Behind a proxy that ends TLS, and without PUBLIC_URL, only the protocol is unknown: the browser vouches for it.
  return request.headers['sec-fetch-site'] === 'same-origin' && origin === `https://${request.host}`;
}
