import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';

/** What Node.js buffers for any connection; smaller responses are not worth counting. */
export const LARGE_BYTES = 16 * 1024;

const KEPT_HEADERS = /^(x-request-id|ratelimit|ratelimit-policy|access-control-.*|connection)$/;

/**
 * Bounds the memory of responses that clients do not read: beyond `maxBytes` a large response is replaced by a 503.
 * Buffers and streams do not count, because the one is shared by all who get it and the other is read piece by piece.
 */
export function limitUnsentOutput(app: FastifyInstance, maxBytes: number): void {
  let unsent = 0;
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length <= LARGE_BYTES || reply.raw.destroyed) return done();
    const bytes = Buffer.byteLength(payload);
    // A single response is always let through, whatever its size.
    if (unsent > 0 && unsent + bytes > maxBytes) return done(refusal(reply));
    unsent += bytes;
    reply.raw.once('close', () => {
      unsent -= bytes;
    });
    done();
  });
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
