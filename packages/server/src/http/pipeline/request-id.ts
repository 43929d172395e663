import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const prefix = `${randomBytes(6).toString('base64url')}-`;
let count = 0;

export function newRequestId(): string {
  count += 1;
  return prefix + count.toString(36);
}

/** The id sent by the client if it is safe to log, so that traces can be joined; otherwise a new id. */
export function requestIdOf({ headers }: { headers: IncomingHttpHeaders }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : newRequestId();
}
