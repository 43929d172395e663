import type { ClientContext } from './client-context.ts';
import type { FlagValueFor, ValueFallback } from './flag-types.ts';
import { type FlagResponse, flagValue } from './flag-value.ts';
import type { RelaySetup } from './relay-setup.ts';
import type { AnySchema, KeyOf, SwitchyardSchema } from './schema.ts';
import { warn } from './warn.ts';

/** Older values are never used, not even while new ones are being fetched. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
/** Values are fetched again when the page becomes visible and they are older than this. */
const STALE_MS = 60_000;

export interface PageFlags<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * The value of a flag for this visitor; the fallback before it is loaded, without consent, and for flags that the
   * relay does not list or that have another type. Values can change while the page is open; see `subscribe`.
   *
   * The type of the fallback decides how a flag with a format is read: as a number, as parsed JSON (with an object or an
   * array), or as its text (with a string). Objects are frozen, and the same ones until the value changes.
   *
   * @example
   * if (switchyard.flags.get('new-checkout', false)) …
   * const price = switchyard.flags.get('price', 9.9);
   * const { plans } = switchyard.flags.get('pricing', { plans: ['basic'] });
   */
  get<Key extends KeyOf<Schema['flags']>, Fallback extends ValueFallback<Schema['flags'][Key]>>(
    key: Key,
    fallback: Fallback,
  ): FlagValueFor<Schema['flags'][Key], Fallback>;
  get<
    Key extends KeyOf<Schema['flags']>,
    Fallback extends ValueFallback<Schema['flags'][Key]> | null | undefined,
  >(key: Key, fallback: Fallback): FlagValueFor<Schema['flags'][Key], Fallback>;
  /** The values of all flags that the relay lists, parsed if they have a format; empty before they are loaded. */
  all(): Partial<Schema['flags']>;
}

/** As it is stored. */
export interface FlagSnapshot {
  /** Whose values these are. */
  visitorId: string;
  flags: Record<string, FlagResponse>;
  fetchedAt: number;
}

interface PageFlagsClient {
  publicFlags: PageFlags;
  /** Uses cached values, then fetches. Call it when the client starts. */
  loadFlags(): void;
  /** Fetches again: the visitor may have other values now. */
  refreshFlags(): void;
  refreshOldFlags(): void;
  /** Resolves when there are values, or when fetching them has failed. */
  whenLoaded(): Promise<void> | undefined;
}

/** Flag values from the relay: served from the cache and refreshed in the background. */
export function createPageFlags(
  { store, now, schedule, propertyQuery, sendRequest, notifyListeners }: ClientContext,
  { relayUrl, propertyId, visitorId, attributes }: RelaySetup,
): PageFlagsClient {
  const cacheKey = `sy:${propertyQuery}:flags`;
  const warned = new Set<string>();
  let snapshot: FlagSnapshot | undefined;
  let fetching: Promise<void> | undefined;
  let isOutdated = false;

  const fetchFlags = async (id: string) => {
    isOutdated = false;
    const { retryDelayMs, body } = await sendRequest(
      '/v1/flags/evaluate',
      JSON.stringify({ propertyId, context: attributes() }),
      undefined,
      relayUrl,
    );
    fetching = undefined;
    const { flags } = (body || {}) as Partial<FlagSnapshot>;
    if (flags) {
      snapshot = { visitorId: id, flags, fetchedAt: now() };
      store.set(cacheKey, snapshot);
      notifyListeners();
    } else if (retryDelayMs) schedule(refreshFlags, retryDelayMs);
    if (isOutdated) refreshFlags();
  };

  const refreshFlags = () => {
    const id = visitorId();
    isOutdated = true;
    if (id) fetching ??= fetchFlags(id);
  };

  const isYoungerThan = (milliseconds: number) =>
    snapshot && Math.abs(now() - snapshot.fetchedAt) < milliseconds;

  const warnOnce = (key: string, problem: string) => {
    if (!warned.has(key)) warn(`flag ${problem}:`, key);
    warned.add(key);
  };

  const get = (key: string, fallback: unknown) => {
    if (!snapshot || !visitorId()) return fallback;
    const flag = snapshot.flags[key];
    const value = flagValue(flag, fallback);
    if (value !== undefined) return value;
    const type = flag?.format || typeof flag?.value;
    // Inherited members such as `constructor` have no value.
    warnOnce(
      key,
      type === 'undefined' ? 'does not exist, or the relay does not list it' : `is of type ${type}`,
    );
    return fallback;
  };

  return {
    publicFlags: {
      get,
      all: () =>
        Object.fromEntries(
          Object.entries((visitorId() && snapshot?.flags) || {}).map(([key, flag]) => [
            key,
            flagValue(flag, null),
          ]),
        ),
    } as PageFlags,
    loadFlags() {
      const id = visitorId();
      if (!id) return;
      snapshot = store.get(cacheKey);
      // Anything may be stored there.
      if (snapshot?.visitorId !== id || !snapshot.flags || !isYoungerThan(MAX_AGE_MS)) snapshot = undefined;
      refreshFlags();
    },
    refreshFlags,
    refreshOldFlags() {
      if (!isYoungerThan(STALE_MS)) refreshFlags();
    },
    whenLoaded: () => (snapshot ? undefined : fetching),
  };
}
