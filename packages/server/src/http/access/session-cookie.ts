import type { FastifyReply } from 'fastify';
import type { HotRequest } from '../contract/hot-route.ts';

export const SESSION_COOKIE = 'switchyard_session';

export interface CookieOptions {
  /** Only sent over HTTPS. */
  secure: boolean;
  maxAgeSeconds: number;
  path?: string;
}

/** The value of a cookie; undefined if it is missing or empty. */
export function readCookie({ headers }: Pick<HotRequest, 'headers'>, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key = '', value = ''] = pair.split('=', 2);
    if (key.trim() === name) return value.trim() || undefined;
  }
  return undefined;
}

/** Sets a cookie that scripts cannot read. Lax, so that a link from elsewhere does not ask to sign in again. */
export function setCookie(reply: FastifyReply, name: string, value: string, options: CookieOptions): void {
  const { secure, maxAgeSeconds, path = '/' } = options;
  const parts = [`${name}=${value}`, `Path=${path}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (secure) parts.push('Secure');
  // Fastify collects repeated `set-cookie` headers.
  reply.header('set-cookie', parts.join('; '));
}
