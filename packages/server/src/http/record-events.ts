import { SuccessText } from '@switchyard/core/api/common';
import type { AcceptedRequest } from '../storage/accepted-request.ts';
import type { HotReply, HotRequest } from './hot-route.ts';

/**
 * `replayed`: the same `Idempotency-Key` and body were already recorded, so nothing was stored.
 * `suppressed`: nothing is stored about this person, who was erased.
 */
export type Recorded = 'stored' | 'replayed' | 'suppressed';

/** Records the events of a request; resolves once they are on disk. */
export type RecordEvents = (request: HotRequest, accepted: AcceptedRequest) => Promise<Recorded>;

export function sendSuccess(reply: HotReply): unknown {
  return reply.type('application/json; charset=utf-8').send(SuccessText);
}
