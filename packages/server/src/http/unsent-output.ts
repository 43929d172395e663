import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';

/** Node.js buffers this much per connection anyway; smaller responses are not counted. */
export const LARGE_BYTES = 16 * 1024;

const KEPT_HEADERS = /^(x-request-id|ratelimit|ratelimit-policy|access-control-.*|connection)$/;

/**
 * Limits the memory used by responses that clients do not read: beyond `maxBytes`, a large response is replaced with
 * a 503. A buffer sent to several clients counts once. Streams are not counted, because they have backpressure.
 */
export function limitUnsentOutput(app: FastifyInstance, maxBytes: number): void {
  /** Number of connections to which each buffer is being sent. */
  const senders = new Map<Buffer, number>();
  let unsent = 0;
  app.addHook('onSend', (_request, reply, payload, done) => {
    const bytes = sizeOf(payload);
    if (bytes <= LARGE_BYTES || reply.raw.destroyed) return done();
    const shared = Buffer.isBuffer(payload) ? payload : undefined;
    const others = shared === undefined ? 0 : (senders.get(shared) ?? 0);
    // A single response is always sent, whatever its size.
    if (others === 0 && unsent > 0 && unsent + bytes > maxBytes) return done(overloaded(reply));
    if (others === 0) unsent += bytes;
    if (shared !== undefined) senders.set(shared, others + 1);
    reply.raw.once('close', () => {
      const remaining = shared === undefined ? 0 : senders.get(shared)! - 1;
      if (remaining === 0) unsent -= bytes;
      if (shared === undefined) return;
      if (remaining === 0) senders.delete(shared);
      else senders.set(shared, remaining);
    });
    done();
  });
}

function sizeOf(payload: unknown): number {
  if (typeof payload === 'string') {
    return payload.length <= LARGE_BYTES ? payload.length : Buffer.byteLength(payload);
  }
  return Buffer.isBuffer(payload) ? payload.length : 0;
}

function overloaded(reply: FastifyReply): ApiError {
  for (const name of Object.keys(reply.getHeaders())) {
    if (!KEPT_HEADERS.test(name)) reply.removeHeader(name);
  }
  return new ApiError('overloaded', {
    message: 'Too many large responses are still being sent. Try again after the time in `Retry-After`.',
    headers: { 'retry-after': '1' },
  });
}
