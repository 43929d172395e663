import type { Impact } from '@switchyard/core/api/impact';
import type { RegexCompiler } from '@switchyard/core/evaluation/operators';
import { namesIn, type UsedAttributes } from '@switchyard/core/evaluation/used-attributes';
import { DAY_MS } from '@switchyard/core/time';
import type { EventQueries } from '../../events/store/event-store.ts';
import { type Replay, replaysOf, type UnknownCounts } from './impact-replay.ts';
import type { ImpactScope } from './impact-scope.ts';
import { ImpactSessions } from './impact-sessions.ts';

const MAX_SESSIONS = 200_000;
/** Bounds the memory of the thread; usually enough for all sessions. */
const MAX_CHARACTERS = 48_000_000;
/** Slow conditions on many sessions end here; the visitors until then are a random sample. */
const MAX_REPLAY_MS = 5000;
/** Other reports get their turn in between. */
const TURN_MS = 25;

interface ReplayLimits {
  replayMs?: number;
  maxSessions?: number;
}

/** Replays the sessions of the last days through the old and the new definition. */
export async function impactReport(
  eventStore: Pick<EventQueries, 'sessionContexts'>,
  scope: ImpactScope,
  regex: RegexCompiler,
  signal?: AbortSignal,
  { replayMs = MAX_REPLAY_MS, maxSessions = MAX_SESSIONS }: ReplayLimits = {},
): Promise<Impact> {
  const asOf = Date.now();
  const replays = replaysOf(scope, regex);
  const names = [...new Set(replays.flatMap(({ used }) => namesIn(used)))];
  const columns = await eventStore.sessionContexts({
    propertyId: scope.propertyId,
    from: asOf - scope.days * DAY_MS,
    to: asOf + DAY_MS,
    attributes: names,
    maxSessions,
    maxCharacters: MAX_CHARACTERS,
  });
  signal?.throwIfAborted();
  const sessions = new ImpactSessions(columns, names);
  const counts = await replayAll(sessions, replays, names, replayMs, signal);
  const { type, key, days, flags } = scope;
  const impact: Impact = {
    type,
    key,
    days,
    asOf,
    sessions: counts.sessions,
    visitors: counts.visitors,
    sampled: counts.sessions === 0 ? 1 : (columns.share * counts.sessions) / sessions.count,
    changed: counts.changed,
    ...(flags && { flags: flags.keys.map((flagKey) => ({ flagKey, environments: [] })) }),
    ...(flags && flags.more > 0 && { moreFlags: flags.more }),
  };
  for (const replay of replays) replay.finish(impact, counts.unknown);
  return impact;
}

interface ReplayCounts {
  sessions: number;
  visitors: number;
  changed: number;
  unknown: UnknownCounts;
}

/** The sessions are sorted by visitor. */
async function replayAll(
  sessions: ImpactSessions,
  replays: readonly Replay[],
  names: readonly string[],
  replayMs: number,
  signal: AbortSignal | undefined,
): Promise<ReplayCounts> {
  const missing = new MissingAttributes(names);
  const counts = { sessions: 0, visitors: 0, changed: 0 };
  const startedAt = performance.now();
  let turnEndsAt = startedAt + TURN_MS;
  while (counts.sessions < sessions.count) {
    let at = counts.sessions;
    const visitorId = sessions.visitorId(at);
    for (; at < sessions.count && sessions.visitorId(at) === visitorId; at++) {
      for (const replay of replays) replay.add(sessions, at);
      missing.add(sessions, at);
    }
    counts.sessions = at;
    counts.visitors++;
    missing.endVisitor();
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
  return { ...counts, unknown: (used) => missing.of(used) };
}

/** Counts the visitors with a session that does not have an attribute. */
class MissingAttributes {
  readonly #names: readonly string[];
  readonly #user: number;
  readonly #visitors: number[];
  readonly #current: boolean[];

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#user = names.indexOf('userId');
    this.#visitors = names.map(() => 0);
    this.#current = names.map(() => false);
  }

  add(sessions: ImpactSessions, at: number): void {
    for (const position of sessions.missing(at)) this.#current[position] = true;
    if (this.#user >= 0 && sessions.lacksUser(at)) this.#current[this.#user] = true;
  }

  endVisitor(): void {
    for (const position of this.#current.keys()) {
      if (!this.#current[position]) continue;
      this.#visitors[position]!++;
      this.#current[position] = false;
    }
  }

  /** Most visitors first. */
  of({ named }: UsedAttributes): { attribute: string; visitors: number }[] {
    return this.#names
      .map((attribute, position) => ({ attribute, visitors: this.#visitors[position]! }))
      .filter(({ attribute, visitors }) => visitors > 0 && named.has(attribute))
      .sort((left, right) => right.visitors - left.visitors);
  }
}
