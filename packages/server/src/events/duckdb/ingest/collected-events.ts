import type { AcceptedCollect, CollectedEvent } from '../../store/accepted-request.ts';

/** Stored for a collect without events. */
export interface Heartbeat {
  type: 'heartbeat';
  at: number;
}

/** The events that are stored for a collect; none if all of them have expired. */
export function collectedEvents(request: AcceptedCollect): readonly (CollectedEvent | Heartbeat)[] {
  if (request.events.length > 0 || request.expired) return request.events;
  return [{ type: 'heartbeat', at: request.receivedAt }];
}
