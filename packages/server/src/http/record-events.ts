import { SuccessText } from '@switchyard/core/api/common';
import type { AcceptedRequest } from '../storage/accepted-request.ts';
import type { HotReply, HotRequest } from './hot-route.ts';

/**
 * Records the events of a request; resolves once they are on disk.
 * `replayed`: the same `Idempotency-Key` and body were already recorded, so nothing was stored.
 */
export type RecordEvents = (request: HotRequest, accepted: AcceptedRequest) => Promise<'stored' | 'replayed'>;

export function sendSuccess(reply: HotReply): unknown {
  return reply.type('application/json; charset=utf-8').send(SuccessText);
}
