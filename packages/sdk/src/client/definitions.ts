import type { ClientContext } from './client-context.ts';
import type { Host } from './host.ts';
import type { Bootstrap, SplitTestConfig } from './split-tests.ts';

/** Older definitions are never used, not even while new ones are being fetched. */
const MAX_AGE_SECONDS = 24 * 60 * 60;
/** How long a page waits for definitions if it does not say. */
const DEFAULT_TIMEOUT_MS = 1000;

type Snapshot = Pick<Bootstrap, 'config' | 'fetchedAt'>;

export interface Definitions {
  /** Uses the server's bootstrap or the cached definitions, and refreshes them if they are stale. */
  loadCached(): void;
  /** `undefined` until definitions are available, and as long as they came too late for this view of the page. */
  currentConfig(): SplitTestConfig | undefined;
  /** Fetches unless the definitions are fresh or already being fetched. */
  refreshIfStale(): void;
  /** Resolves when there are definitions, or when fetching them has failed. */
  whenLoaded(): Promise<void> | undefined;
  /** Waits for something to load, but not longer than the timeout; without one, as long as decided before. */
  untilShown(loading: Promise<unknown> | undefined, timeoutMs?: number): Promise<void>;
}

/** Split test definitions: served from the cache and refreshed in the background. */
export function createDefinitions(
  context: ClientContext,
  host: Host,
  prepare: (config: SplitTestConfig) => Promise<void> | undefined,
): Definitions {
  const { store, now, schedule, propertyQuery, bootstrap } = context;
  const cacheKey = `sy:${propertyQuery}:config`;
  let snapshot: Snapshot | null | undefined;
  let fetching: Promise<void> | undefined;
  let preparing: Promise<void> | undefined;
  /** When a page without definitions shows its fallbacks. */
  let shownAt = 0;

  const isYoungerThan = (seconds: number | undefined) =>
    snapshot && Math.abs(now() - snapshot.fetchedAt) < seconds! * 1000;

  /** Ignores anything that is not a config. */
  const accept = (candidate: Snapshot | null | undefined) => {
    if (candidate?.config?.tests?.find) {
      snapshot = candidate;
      preparing = prepare(candidate.config);
    }
  };

  const fetchConfig = async () => {
    const { retryDelayMs, body } = await context.sendRequest('/v1/split-testing/config');
    const current = snapshot;
    const isLate = !current && now() > shownAt;
    fetching = undefined;
    accept({ config: body as SplitTestConfig, fetchedAt: now() });
    if (snapshot !== current) {
      store.set(cacheKey, snapshot);
      // A page that shows its fallbacks keeps them, and the next view finds the definitions in the cache.
      if (isLate) snapshot = current;
      else context.notifyListeners();
    } else {
      shownAt = 0;
      if (retryDelayMs) schedule(refreshIfStale, retryDelayMs);
    }
  };

  const refreshIfStale = () => {
    if (!isYoungerThan(snapshot?.config.ttl)) fetching ??= fetchConfig();
  };

  return {
    loadCached() {
      accept(store.get(cacheKey));
      if (!isYoungerThan(MAX_AGE_SECONDS)) snapshot = undefined;
      accept(bootstrap);
      shownAt = now() + DEFAULT_TIMEOUT_MS;
      refreshIfStale();
    },
    currentConfig: () => snapshot?.config,
    refreshIfStale,
    whenLoaded: () => (snapshot ? preparing : fetching?.then(() => preparing)),
    async untilShown(loading, timeoutMs) {
      if (!loading) return;
      if (timeoutMs! >= 0) shownAt = now() + timeoutMs!;
      // Not a timer of the context, which stops if consent is withdrawn: the page may be hidden.
      await Promise.race([loading, new Promise<void>((done) => host.schedule(done, shownAt - now()))]);
    },
  };
}
