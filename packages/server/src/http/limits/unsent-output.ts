import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../platform/errors/errors.ts';
import type { HotReply } from '../contract/hot-route.ts';

/** Node.js buffers this much per connection anyway; smaller responses are not counted. */
const LARGE_BYTES = 16 * 1024;

const KEPT_HEADERS = /^(x-request-id|ratelimit|ratelimit-policy|access-control-.*|connection)$/;

/**
 * Limits the memory used by responses that clients do not read: beyond `maxBytes`, a large response is replaced with
 * a 503. A buffer sent to several clients counts once. Streams are not counted, because they have backpressure.
 */
export class UnsentOutput {
  readonly #maxBytes: number;
  /** Number of connections to which each buffer is being sent. */
  readonly #senders = new Map<Buffer, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Counts a response until it has been sent; throws if it must not be sent. */
  admit(
    response: ServerResponse,
    payload: unknown,
    reply: Pick<HotReply, 'getHeaders' | 'removeHeader'>,
  ): void {
    const bytes = sizeOf(payload);
    if (bytes <= LARGE_BYTES || response.destroyed) return;
    const shared = Buffer.isBuffer(payload) ? payload : undefined;
    const others = shared === undefined ? 0 : (this.#senders.get(shared) ?? 0);
    // A single response is always sent, whatever its size.
    if (others === 0 && this.#bytes > 0 && this.#bytes + bytes > this.#maxBytes) throw overloaded(reply);
    if (others === 0) this.#bytes += bytes;
    if (shared !== undefined) this.#senders.set(shared, others + 1);
    response.once('close', () => this.#release(bytes, shared));
  }

  #release(bytes: number, shared: Buffer | undefined): void {
    const remaining = shared === undefined ? 0 : this.#senders.get(shared)! - 1;
    if (remaining === 0) this.#bytes -= bytes;
    if (shared === undefined) return;
    if (remaining === 0) this.#senders.delete(shared);
    else this.#senders.set(shared, remaining);
  }
}

export function limitUnsentOutput(app: FastifyInstance, output: UnsentOutput): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    try {
      output.admit(reply.raw, payload, reply);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

function sizeOf(payload: unknown): number {
  if (typeof payload === 'string') {
    return payload.length <= LARGE_BYTES ? payload.length : Buffer.byteLength(payload);
  }
  return Buffer.isBuffer(payload) ? payload.length : 0;
}

function overloaded(reply: Pick<HotReply, 'getHeaders' | 'removeHeader'>): ApiError {
  for (const name of Object.keys(reply.getHeaders())) {
    if (!KEPT_HEADERS.test(name)) reply.removeHeader(name);
  }
  return new ApiError('overloaded', {
    message: 'Too many large responses are still being sent. Try again after the time in `Retry-After`.',
    headers: { 'retry-after': '1' },
  });
}
