import type { JournalEntry, SessionRemains } from './accepted-request.ts';

/** What is left of the expired events of sessions, by `remainsKey`. */
export type ExportedRemains = ReadonlyMap<string, SessionRemains>;

export const remainsKey = (propertyId: string, sessionId: string) => JSON.stringify([propertyId, sessionId]);

/** What a store knows about a session that started before its first event, which is at `firstAt`. */
interface StoredRemains extends Pick<SessionRemains, 'sessionId' | 'startedAt'> {
  firstAt: number;
  bot: boolean;
  /** First and last page view, whether they have expired or not; empty texts mean none. */
  entry: [at: number, url: string, referrer: string] | undefined;
  exit: [at: number, url: string] | undefined;
}

export function remainsOf({
  sessionId,
  startedAt,
  firstAt,
  bot,
  entry,
  exit,
}: StoredRemains): SessionRemains {
  const viewOf = ([at, url, referrer]: [at: number, url: string, referrer?: string]) => ({
    at,
    ...(url && { url }),
    ...(referrer && { referrer }),
  });
  return {
    sessionId,
    startedAt,
    ...(bot && { bot }),
    ...(entry && entry[0] < firstAt && { entry: viewOf(entry) }),
    ...(exit && exit[0] < firstAt && { exit: viewOf(exit) }),
  };
}

/** The sessions of requests that have events, by property. */
export function exportedSessions(entries: readonly JournalEntry[]): Map<string, Set<string>> {
  const sessions = new Map<string, Set<string>>();
  for (const entry of entries) {
    const { propertyId } = entry.request;
    for (const sessionId of sessionsOf(entry)) {
      sessions.set(propertyId, (sessions.get(propertyId) ?? new Set()).add(sessionId));
    }
  }
  return sessions;
}

/** Each request carries what is left of its sessions, because any of them may be the first that another store gets. */
export function withRemains(entries: readonly JournalEntry[], remains: ExportedRemains): JournalEntry[] {
  if (remains.size === 0) return [...entries];
  return entries.map((entry) => {
    const { propertyId } = entry.request;
    const own = sessionsOf(entry).flatMap(
      (sessionId) => remains.get(remainsKey(propertyId, sessionId)) ?? [],
    );
    return own.length === 0 ? entry : { ...entry, request: { ...entry.request, remains: own } };
  });
}

/** None for a collect whose events have expired: a session has a start only if it has events. */
function sessionsOf({ request }: JournalEntry): string[] {
  if (request.kind === 'exposures') return [...new Set(request.exposures.map(({ sessionId }) => sessionId))];
  if (request.kind === 'collect' && request.expired) return [];
  return request.sessionId === undefined ? [] : [request.sessionId];
}
