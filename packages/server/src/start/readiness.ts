import type { Database } from '../configuration/database/database.ts';
import type { Nodes } from '../configuration/database/nodes.ts';
import type { EventStorage } from '../events/thread/event-storage.ts';
import { withTimeout } from '../platform/with-timeout.ts';

const TIMEOUT_MS = 2000;

/** What cannot be used: the configuration database, the event store, or the journal, which is full. */
type UnavailableStorage = 'database' | 'events' | 'journal';

export interface Readiness {
  ready: boolean;
  unavailable: UnavailableStorage[];
}

interface Dependencies {
  database: Database;
  events: EventStorage;
  nodes: Nodes;
  /** Whether PostgreSQL and ClickHouse are used. */
  isShared: boolean;
  isStopping: boolean;
}

/**
 * Whether to send requests to this server. Storage that all nodes share does not count: a node without it accepts events
 * and serves its configuration from memory, and a load balancer would take out all nodes at once.
 */
export async function readiness({
  database,
  events,
  nodes,
  isShared,
  isStopping,
}: Dependencies): Promise<Readiness> {
  const ping = () => database.selectFrom('properties').select('id').limit(1).execute();
  const [hasDatabase, hasEvents] = await Promise.all([
    isShared ? nodes.isAvailable : responds(ping()),
    events.status.damage === undefined && responds(events.eventStore.ping()),
  ]);
  const unavailable: UnavailableStorage[] = [];
  if (!hasDatabase) unavailable.push('database');
  if (!hasEvents) unavailable.push('events');
  if (!events.hasRoom) unavailable.push('journal');
  const accepts = !isStopping && !events.failed && events.hasRoom;
  if (isShared) return { ready: accepts, unavailable };
  return { ready: accepts && events.status.healthy && unavailable.length === 0, unavailable };
}

function responds(request: Promise<unknown>): Promise<boolean> {
  const answered = request.then(
    () => true,
    () => false,
  );
  return withTimeout(answered, TIMEOUT_MS, () => false);
}
