import { namesIn } from '@switchyard/core/evaluation/used-attributes';
import { DAY_MS } from '@switchyard/core/time';
import { visitPartsFor } from '../../events/store/audience-context.ts';
import type { EventQueries } from '../../events/store/event-store.ts';
import { ImpactSessions } from './impact-sessions.ts';
import { MissingAttributes, type UnknownCounts } from './missing-attributes.ts';
import type { Replay } from './replay.ts';

const MAX_SESSIONS = 200_000;
/** Bounds the memory of the thread; usually enough for all sessions. */
const MAX_CHARACTERS = 48_000_000;
/** Slow conditions on many sessions end here; the visitors until then are a random sample. */
const MAX_REPLAY_MS = 5000;
/** Other reports get their turn in between. */
const TURN_MS = 25;

export interface ReplayLimits {
  replayMs?: number;
  maxSessions?: number;
}

export interface ReplayedPeriod {
  propertyId: string;
  /** The last ones. */
  days: number;
  timeZone: string;
}

export interface ReplayCounts {
  asOf: number;
  /** Those that were replayed. */
  sessions: number;
  visitors: number;
  /** Share of the visitors that was replayed. */
  sampled: number;
  /** Visitors who get something else. */
  changed: number;
  unknown: Record<Replay['kind'], UnknownCounts>;
}

/** Shows the sessions of the last days to replays, visitor by visitor. */
export async function replaySessions(
  eventStore: Pick<EventQueries, 'sessionContexts'>,
  { propertyId, days, timeZone }: ReplayedPeriod,
  replays: readonly Replay[],
  signal?: AbortSignal,
  { replayMs = MAX_REPLAY_MS, maxSessions = MAX_SESSIONS }: ReplayLimits = {},
): Promise<ReplayCounts> {
  const asOf = Date.now();
  const namesOf = (...kinds: Replay['kind'][]) => [
    ...new Set(replays.flatMap(({ kind, used }) => (kinds.includes(kind) ? namesIn(used) : []))),
  ];
  const names = namesOf('flags', 'audiences');
  const columns = await eventStore.sessionContexts({
    propertyId,
    from: asOf - days * DAY_MS,
    to: asOf + DAY_MS,
    attributes: names,
    visit: visitPartsFor(namesOf('audiences')),
    maxSessions,
    maxCharacters: MAX_CHARACTERS,
  });
  signal?.throwIfAborted();
  const sessions = new ImpactSessions(columns, names, timeZone);
  const flags = new MissingAttributes(namesOf('flags'), 'flags');
  const audiences = new MissingAttributes(namesOf('audiences'), 'audiences');
  const counts = await replayAll(sessions, replays, [flags, audiences], replayMs, signal);
  const sampled = counts.sessions === 0 ? 1 : (columns.share * counts.sessions) / sessions.count;
  return { asOf, ...counts, sampled, unknown: { flags: flags.of, audiences: audiences.of } };
}

/** The sessions are sorted by visitor. */
async function replayAll(
  sessions: ImpactSessions,
  replays: readonly Replay[],
  missing: readonly MissingAttributes[],
  replayMs: number,
  signal: AbortSignal | undefined,
): Promise<Pick<ReplayCounts, 'sessions' | 'visitors' | 'changed'>> {
  const counts = { sessions: 0, visitors: 0, changed: 0 };
  const startedAt = performance.now();
  let turnEndsAt = startedAt + TURN_MS;
  while (counts.sessions < sessions.count) {
    let at = counts.sessions;
    const visitorId = sessions.visitorId(at);
    for (; at < sessions.count && sessions.visitorId(at) === visitorId; at++) {
      for (const replay of replays) replay.add(sessions, at);
      for (const each of missing) each.add(sessions, at);
    }
    counts.sessions = at;
    counts.visitors++;
    for (const each of missing) each.endVisitor();
    let isChanged = false;
    for (const replay of replays) isChanged = replay.endVisitor() || isChanged;
    if (isChanged) counts.changed++;
    const now = performance.now();
    if (now - startedAt > replayMs) break;
    if (now > turnEndsAt) {
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      turnEndsAt = performance.now() + TURN_MS;
    }
  }
  return counts;
}
