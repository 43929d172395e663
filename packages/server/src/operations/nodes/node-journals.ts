import { DAY_MS } from '@switchyard/core/time';
import type { Database } from '../../configuration/database/database.ts';
import type { Positions } from '../../events/store/event-store.ts';
import type { EventStorage } from '../../events/thread/event-storage.ts';

/** A node that was seen within this time counts as running. */
const RUNNING_MS = 30_000;
/** How long a node is remembered whose journal is in the event store. */
const KEPT_MS = 7 * DAY_MS;

/** How far the journal of a node is. */
export interface NodeJournal {
  source: string;
  position: number;
  /** The position includes everything that was accepted before this time. */
  seenAt: number;
}

/** Tells the other nodes how far the journal of this node is. */
export async function publishOwnJournal(
  database: Database,
  events: Pick<EventStorage, 'sync' | 'status'>,
): Promise<void> {
  // Before the position is read: requests that are accepted meanwhile may be missing.
  const seenAt = Date.now();
  await events.sync();
  const { source, position } = events.status;
  await publishJournal(database, { source, position, seenAt });
}

export async function publishJournal(
  database: Database,
  { source, position, seenAt }: NodeJournal,
): Promise<void> {
  await database
    .insertInto('node_journals')
    .values({ source, position, seen_at: seenAt })
    .onConflict((conflict) => conflict.column('source').doUpdateSet({ position, seen_at: seenAt }))
    .execute();
}

export async function readJournals(database: Database): Promise<NodeJournal[]> {
  const rows = await database.selectFrom('node_journals').selectAll().orderBy('source').execute();
  return rows.map(({ source, position, seen_at }) => ({ source, position, seenAt: seen_at }));
}

/**
 * The nodes whose journals may have requests from before a time that the event store lacks.
 *
 * @param stored read after the journals
 */
export function nodesBehind(
  journals: readonly NodeJournal[],
  stored: Positions,
  { before, now }: { before: number; now: number },
): string[] {
  return journals
    .filter(({ source, position, seenAt }) => {
      const isRunning = now - seenAt <= RUNNING_MS;
      return (isRunning && seenAt <= before) || (stored[source] ?? 0) < position;
    })
    .map(({ source }) => source);
}

/** Deletes nodes that are gone and have left nothing behind. */
export async function deleteOldJournals(
  database: Database,
  positions: () => Promise<Positions>,
  now: number,
): Promise<void> {
  const isOld = ({ seenAt }: NodeJournal) => seenAt < now - KEPT_MS;
  const old = (await readJournals(database)).filter(isOld);
  if (old.length === 0) return;
  const stored = await positions();
  for (const { source, position, seenAt } of old) {
    if ((stored[source] ?? 0) < position) continue;
    // Unless the node has started again meanwhile.
    await database
      .deleteFrom('node_journals')
      .where('source', '=', source)
      .where('seen_at', '=', seenAt)
      .execute();
  }
}
