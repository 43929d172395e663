import type { FastifyReply } from 'fastify';
import { ApiError } from '../../platform/errors/errors.ts';

/** Limits the exports of a kind that run at the same time, per process. */
export class ExportSlots {
  readonly #max: number;
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes a slot until the response has ended; returns false if the client has left already. */
  take(reply: FastifyReply): boolean {
    if (this.#running >= this.#max) {
      throw new ApiError('overloaded', {
        message: 'Too many exports are running. Try again after the time in `Retry-After`.',
        headers: { 'retry-after': '1' },
      });
    }
    // A client that left while its credentials were checked: `close` does not come again.
    if (reply.raw.destroyed) return false;
    this.#running++;
    reply.raw.once('close', () => {
      this.#running--;
    });
    return true;
  }
}
