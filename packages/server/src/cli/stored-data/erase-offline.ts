import type { DatabaseHandle } from '../../configuration/database/database.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { runErasuresOffline } from '../../features/erasure/offline-erasure.ts';
import { suppressingStore } from '../../features/erasure/suppressing-store.ts';
import { sweepFeedbackStates } from '../../features/feedback/feedback-states.ts';
import { forgettingDeliveries } from '../../features/webhooks/forget-deliveries.ts';

/** Carries out pending erasures in this process; returns false if a running server holds the data directory. */
export function eraseOffline(
  dataDir: string,
  handle: DatabaseHandle,
  prepare?: (eventStore: EventStoreClient) => Promise<unknown>,
): Promise<boolean> {
  const { database } = handle;
  return runErasuresOffline(dataDir, handle, {
    // No other process has to know the list.
    everywhere: (store) => forgettingDeliveries(database, suppressingStore(database, store, 0)),
    sweep: sweepFeedbackStates,
    ...(prepare && { prepare }),
  });
}
