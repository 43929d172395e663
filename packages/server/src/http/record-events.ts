import { SuccessText } from '@switchyard/core/api/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AcceptedRequest } from '../storage/accepted-request.ts';

/**
 * Records the events of a request; resolves once they are on disk.
 * `replayed`: the same `Idempotency-Key` and body were already recorded, so nothing was stored.
 */
export type RecordEvents = (
  request: FastifyRequest,
  accepted: AcceptedRequest,
) => Promise<'stored' | 'replayed'>;

export function sendSuccess(reply: FastifyReply): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(SuccessText);
}
