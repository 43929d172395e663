import { setTimeout as sleep } from 'node:timers/promises';
import { ERASURES_SOURCE, type EventStore, type Positions } from '../store/event-store.ts';
import type { ChangedSessions } from './storage-messages.ts';

const POLL_MS = 500;
/** Sessions that are named; with more, everything that is known of sessions is dropped. */
const MAX_SESSIONS = 2000;

export interface RemoteChangesOptions {
  store: Pick<EventStore, 'positions' | 'collectedSessions'>;
  /** What this node stores is known here already. */
  ownSource: string;
  /** Called when another node has stored or erased something. */
  onChange: (sessions: ChangedSessions) => void;
  /** Called with the position of this node in the store. */
  onOwnPosition?: (position: number) => void;
  pollMs?: number;
}

/** Notices what other nodes have stored, for the caches of this one. Resolves when it is aborted. */
export async function watchRemoteChanges(options: RemoteChangesOptions, signal: AbortSignal): Promise<void> {
  const { store, ownSource, onChange, pollMs = POLL_MS } = options;
  let seen: Positions | undefined;
  let isBlind = false;
  while (!signal.aborted) {
    try {
      const positions = await store.positions();
      options.onOwnPosition?.(positions[ownSource] ?? 0);
      // What others have stored since the start is unknown.
      if (seen === undefined && isBlind) onChange('all');
      if (seen !== undefined && hasAdvanced(seen, positions, ownSource)) {
        onChange(await changedSessions(store, { ...seen, [ownSource]: Number.MAX_SAFE_INTEGER }, positions));
      }
      // Not earlier: if something failed, the next poll finds the same changes.
      seen = positions;
    } catch {
      // The loader reports that the store is unavailable.
      isBlind = true;
    }
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

function hasAdvanced(before: Positions, now: Positions, ownSource: string): boolean {
  return Object.entries(now).some(([source, seq]) => source !== ownSource && seq !== (before[source] ?? 0));
}

async function changedSessions(
  store: RemoteChangesOptions['store'],
  after: Positions,
  now: Positions,
): Promise<ChangedSessions> {
  if (now[ERASURES_SOURCE] !== after[ERASURES_SOURCE]) return 'all';
  return (await store.collectedSessions(after, MAX_SESSIONS)) ?? 'all';
}
