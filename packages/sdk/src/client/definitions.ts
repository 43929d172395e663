import type { Answer } from './delivery.ts';
import type { Host } from './host.ts';
import type { Bootstrap, SplitTestConfig } from './split-tests.ts';

/** Older definitions are not shown, not even while newer ones are fetched. */
const USABLE_SECONDS = 24 * 60 * 60;

type Snapshot = Pick<Bootstrap, 'config' | 'fetchedAt'>;

export type Definitions = readonly [
  /** Takes what the server rendered, else what is stored, and has it fetched if that is not fresh. */
  load: () => void,
  /** `undefined` as long as nothing is known. */
  current: () => SplitTestConfig | undefined,
  /** Fetches unless they are fresh or being fetched. */
  refresh: () => void,
  /** Resolves when there are definitions, or the attempt to get them has failed. */
  ready: () => Promise<void> | undefined,
];

/** Definitions, shown at once when they are stored and fetched again behind the scenes. */
export function createDefinitions(
  { store, now, later }: Host,
  key: string,
  bootstrap: Bootstrap | null | undefined,
  ask: () => Promise<Answer>,
  changed: () => void,
): Definitions {
  let snapshot: Snapshot | null | undefined;
  let fetching: Promise<void> | undefined;

  /** Also when there is nothing that could be old. */
  const isOlder = (seconds = 0) => !(Math.abs(now() - (snapshot?.fetchedAt ?? 0)) < seconds * 1000);

  const take = (found: Snapshot | null | undefined) => {
    if (found?.config?.tests?.find) snapshot = found;
    return snapshot === found;
  };

  const fetchConfig = async () => {
    const [retryInMs, , config] = await ask();
    fetching = undefined;
    if (take({ config: config as SplitTestConfig, fetchedAt: now() })) {
      store.set(key, snapshot);
      changed();
    } else if (retryInMs) later(refresh, retryInMs);
  };

  const refresh = () => {
    if (isOlder(snapshot?.config.ttl)) fetching ??= fetchConfig();
  };

  const load = () => {
    take(store.get(key));
    if (isOlder(USABLE_SECONDS)) snapshot = undefined;
    take(bootstrap);
    refresh();
  };

  return [load, () => snapshot?.config, refresh, () => (snapshot ? undefined : fetching)];
}
