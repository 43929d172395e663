import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';

/** What Node.js buffers for any connection; smaller responses are not worth counting. */
export const LARGE_BYTES = 16 * 1024;

const KEPT_HEADERS = /^(x-request-id|ratelimit|ratelimit-policy|access-control-.*|connection)$/;

/**
 * Bounds the memory of responses that clients do not read: beyond `maxBytes` a large response is replaced by a 503.
 * A buffer that is sent to several clients counts once. Streams do not count, because they are read piece by piece.
 */
export function limitUnsentOutput(app: FastifyInstance, maxBytes: number): void {
  /** How many connections each buffer is being sent on. */
  const senders = new Map<Buffer, number>();
  let unsent = 0;
  app.addHook('onSend', (_request, reply, payload, done) => {
    const bytes = sizeOf(payload);
    if (bytes <= LARGE_BYTES || reply.raw.destroyed) return done();
    const shared = Buffer.isBuffer(payload) ? payload : undefined;
    const others = shared === undefined ? 0 : (senders.get(shared) ?? 0);
    // A single response is always let through, whatever its size.
    if (others === 0 && unsent > 0 && unsent + bytes > maxBytes) return done(refusal(reply));
    if (others === 0) unsent += bytes;
    if (shared !== undefined) senders.set(shared, others + 1);
    reply.raw.once('close', () => {
      const left = shared === undefined ? 0 : senders.get(shared)! - 1;
      if (left === 0) unsent -= bytes;
      if (shared === undefined) return;
      if (left === 0) senders.delete(shared);
      else senders.set(shared, left);
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

function refusal(reply: FastifyReply): ApiError {
  for (const name of Object.keys(reply.getHeaders())) {
    if (!KEPT_HEADERS.test(name)) reply.removeHeader(name);
  }
  return new ApiError('overloaded', {
    message: 'Too many large responses are waiting to be read. Try again after the time in `Retry-After`.',
    headers: { 'retry-after': '1' },
  });
}
