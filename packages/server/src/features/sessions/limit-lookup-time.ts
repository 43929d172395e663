import type { SessionIdentity } from '../../events/store/session-summary.ts';
import { withTimeout } from '../../platform/with-timeout.ts';

type Find<Result> = (propertyId: string, sessionId: string) => Result | Promise<Result>;
type Identity = SessionIdentity | undefined;

/** How long an evaluation waits for the event store; with the rest of the request, less than 5 seconds. */
const MAX_WAIT_MS = 2000;

/**
 * For evaluations by nodes, which go on while the event store is unavailable: a session that cannot be looked up in time is
 * like one that nobody has seen.
 */
export function limitLookupTime(find: Find<Identity>, maxWaitMs = MAX_WAIT_MS): Find<Identity> {
  return (propertyId, sessionId) => {
    const found = find(propertyId, sessionId);
    return found instanceof Promise ? inTime(found, maxWaitMs) : found;
  };
}

function inTime(looking: Promise<Identity>, maxWaitMs: number): Promise<Identity> {
  const found = looking.catch((error: { code?: unknown }) => {
    if (error.code === 'STORE_UNAVAILABLE' || error.code === 'QUERY_TOO_LARGE') return undefined;
    throw error;
  });
  return withTimeout(found, maxWaitMs, () => undefined);
}
