import type { ClientContext } from './client-context.ts';
import type { Bootstrap, SplitTestConfig } from './split-tests.ts';

/** Older definitions are never used, not even while new ones are being fetched. */
const MAX_AGE_SECONDS = 24 * 60 * 60;

type Snapshot = Pick<Bootstrap, 'config' | 'fetchedAt'>;

export interface Definitions {
  /** Uses the server's bootstrap or the cached definitions, then refreshes them if they are stale. */
  loadCached(): void;
  /** `undefined` until definitions are available. */
  currentConfig(): SplitTestConfig | undefined;
  /** Fetches unless the definitions are fresh or already being fetched. */
  refreshIfStale(): void;
  /** Resolves when there are definitions, or when fetching them has failed. */
  whenReady(): Promise<void> | undefined;
}

/** Split test definitions: served from the cache and refreshed in the background. */
export function createDefinitions(context: ClientContext): Definitions {
  const { store, now, schedule, propertyQuery, bootstrap } = context;
  const cacheKey = `sy:${propertyQuery}:config`;
  let snapshot: Snapshot | null | undefined;
  let fetching: Promise<void> | undefined;

  const isYoungerThan = (seconds: number | undefined) =>
    snapshot && Math.abs(now() - snapshot.fetchedAt) < seconds! * 1000;

  /** Ignores anything that is not a config; true if the candidate was accepted. */
  const accept = (candidate: Snapshot | null | undefined) => {
    if (candidate?.config?.tests?.find) snapshot = candidate;
    return snapshot === candidate;
  };

  const fetchConfig = async () => {
    const { retryDelayMs, body } = await context.sendRequest(`/v1/split-testing/config?${propertyQuery}`);
    fetching = undefined;
    if (accept({ config: body as SplitTestConfig, fetchedAt: now() })) {
      store.set(cacheKey, snapshot);
      context.notifyListeners();
    } else if (retryDelayMs) schedule(refreshIfStale, retryDelayMs);
  };

  const refreshIfStale = () => {
    if (!isYoungerThan(snapshot?.config.ttl)) fetching ??= fetchConfig();
  };

  return {
    loadCached() {
      accept(store.get(cacheKey));
      if (!isYoungerThan(MAX_AGE_SECONDS)) snapshot = undefined;
      accept(bootstrap);
      refreshIfStale();
    },
    currentConfig: () => snapshot?.config,
    refreshIfStale,
    whenReady: () => (snapshot ? undefined : fetching),
  };
}
