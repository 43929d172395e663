import { SuccessText } from '@switchyard/core/api/common';
import type { AcceptedRequest } from '../../events/store/accepted-request.ts';
import type { HotReply, HotRequest } from '../contract/hot-route.ts';

/**
 * `replayed`: the same `Idempotency-Key` and body were already recorded, so nothing was stored.
 * `suppressed`: nothing is stored about this person, who was erased.
 */
export type Recorded = 'stored' | 'replayed' | 'suppressed';

/** Records the events of a request, and the second part of it, if there is one; resolves once all of it is on disk. */
export type RecordEvents = (
  request: HotRequest,
  accepted: AcceptedRequest,
  second?: AcceptedRequest,
) => Promise<Recorded>;

export function sendSuccess(reply: HotReply): unknown {
  return reply.type('application/json; charset=utf-8').send(SuccessText);
}
