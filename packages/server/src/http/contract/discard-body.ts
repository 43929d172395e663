import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';

/** Larger bodies are not worth reading; clients that send them may see a broken connection instead of the response. */
const MAX_DISCARDED_BYTES = 2 * 1024 * 1024;

/**
 * Reads the rest of a refused body before the response, because closing a connection with unread data resets it, and
 * nginx then answers 502. The request timeout applies.
 */
export function discardBody(request: IncomingMessage, done: () => void): void {
  const bytes = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  const isOver = request.readableEnded || request.destroyed;
  if (isOver || bytes > MAX_DISCARDED_BYTES) done();
  else {
    finished(request, { writable: false }, () => done());
    request.resume();
  }
}
