import { SuccessText } from '@switchyard/core/api/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AcceptedRequest } from '../storage/accepted-request.ts';

/**
 * How routes record events: resolves once they are on disk.
 * `replayed`: the same `Idempotency-Key` and body were recorded before, so nothing was stored this time.
 */
export type RecordEvents = (
  request: FastifyRequest,
  accepted: AcceptedRequest,
) => Promise<'stored' | 'replayed'>;

export function sendSuccess(reply: FastifyReply): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(SuccessText);
}
