import type { TestSetup } from '../history.ts';
import { isVisit } from './flags.ts';
import type { Recorded } from './recorded.ts';

/** Who is counted: the unit of each session. */
export type UnitOf = (sessionId: string) => string;

/** A session belongs to the visitor of its latest collect, and a visitor to the user that was named last. */
export function unitsOf({ collects }: Recorded, unit: TestSetup['unit']): UnitOf {
  const visitorOfSession = new Map<string, string>();
  const userOfVisitor = new Map<string, string>();
  // In the order of arrival, so that later ones win.
  for (const { sessionId, visitorId, userId } of collects) {
    visitorOfSession.set(sessionId, visitorId);
    if (userId !== undefined) userOfVisitor.set(visitorId, userId);
  }
  return (sessionId) => {
    const visitor = visitorOfSession.get(sessionId);
    if (visitor === undefined) return `session ${sessionId}`;
    const user = unit === 'user' ? userOfVisitor.get(visitor) : undefined;
    return user === undefined ? `visitor ${visitor}` : `user ${user}`;
  };
}

export interface SessionOfUnit {
  sessionId: string;
  unit: string;
  startedAt: number;
}

/** All sessions that are visits, each with its earliest event. */
export function sessionsOf(recorded: Recorded, unitOf: UnitOf): SessionOfUnit[] {
  const starts = new Map<string, number>();
  const add = (sessionId: string | undefined, at: number) => {
    if (sessionId === undefined || !isVisit(sessionId)) return;
    starts.set(sessionId, Math.min(at, starts.get(sessionId) ?? Number.POSITIVE_INFINITY));
  };
  for (const { sessionId, times, receivedAt } of recorded.collects) {
    if (times.length === 0) add(sessionId, receivedAt);
    for (const at of times) add(sessionId, at);
  }
  for (const { sessionId, happenedAt } of recorded.exposures) add(sessionId, happenedAt);
  for (const { sessionId, at } of recorded.conversions) add(sessionId, at);
  for (const { sessionId, at } of recorded.answers) add(sessionId, at);
  return [...starts].map(([sessionId, startedAt]) => ({ sessionId, unit: unitOf(sessionId), startedAt }));
}

/** The country of each session, by its latest collect. */
export function countriesOf({ collects }: Recorded): Map<string, string | undefined> {
  return new Map(collects.map(({ sessionId, country }) => [sessionId, country]));
}
