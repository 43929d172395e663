import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import type { TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { expect } from 'vitest';
import type { SentEvent } from './event-load.ts';
import { SESSIONLESS_GOAL } from './event-requests.ts';

interface Session {
  sessionId: string;
  visitorId: string | null;
  pageviews: number;
  exposures: { splitTestKey: string; variationKey: string }[];
  goals: { goalId: string; count: number; amount: number }[];
  feedback: number;
}

interface Feedback {
  sessionId: string;
  message: string;
}

const MAX_ERRORS_SHOWN = 20;

/** As clients do, it asks again if the server is too busy to answer in time. */
export async function getWhenAvailable(server: TestServer, path: string) {
  const response = await waitFor(`an answer of ${path}`, async () => {
    const attempt = await server.call('GET', path, { key: SECRET_KEY });
    return attempt.status !== 503 && attempt;
  });
  if (response.status !== 200) throw new Error(`GET ${path} → ${response.status}: ${response.text}`);
  return response.body;
}

/** All rows of a paged list; fails if a row is repeated. */
async function allPages<Row>(
  server: TestServer,
  path: string,
  list: string,
  id: (row: Row) => string,
): Promise<Row[]> {
  const rows = new Map<string, Row>();
  let cursor: string | null = '';
  let count = 0;
  while (cursor !== null) {
    const page: Record<string, unknown> = await getWhenAvailable(
      server,
      `${path}&limit=500${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    for (const row of page[list] as Row[]) {
      rows.set(id(row), row);
      count += 1;
    }
    cursor = page.nextCursor as string | null;
  }
  expect(rows.size, `${path}: distinct rows of ${count}`).toBe(count);
  return [...rows.values()];
}

function allSessions(server: TestServer, from = 0): Promise<Session[]> {
  return allPages<Session>(
    server,
    `/v1/sessions?propertyId=shop&from=${from}`,
    'sessions',
    ({ sessionId }) => sessionId,
  );
}

export function allFeedback(server: TestServer, from = 0): Promise<Feedback[]> {
  return allPages<Feedback & { id: string }>(
    server,
    `/v1/feedback?propertyId=shop&from=${from}`,
    'feedback',
    ({ id }) => id,
  );
}

export async function goalProgress(server: TestServer, goalId: string) {
  const progress = await getWhenAvailable(server, `/v1/goals/progress?propertyId=shop&goalId=${goalId}`);
  return progress.current as { total: number; count: number; gross: number; reversed: number };
}

async function exposureTotal(server: TestServer): Promise<number> {
  let total = 0;
  for (const splitTestKey of ['hero', 'finished']) {
    const results = await getWhenAvailable(
      server,
      `/v1/split-testing/results?propertyId=shop&splitTestKey=${splitTestKey}`,
    );
    for (const variation of results.variations as { exposures: number }[]) total += variation.exposures;
  }
  return total;
}

/**
 * Compares stored with sent events: each acknowledged event must be stored exactly once, any other sent event at most
 * once and completely, and nothing else. Returns the stored events.
 */
export async function expectStoredOnce(
  server: TestServer,
  events: readonly SentEvent[],
  from = 0,
): Promise<SentEvent[]> {
  const sessions = new Map((await allSessions(server, from)).map((session) => [session.sessionId, session]));
  const feedback = new Map<string, number>();
  for (const { message } of await allFeedback(server, from))
    feedback.set(message, (feedback.get(message) ?? 0) + 1);
  const errors: string[] = [];
  const present: SentEvent[] = [];
  for (const event of events) {
    if (event.kind === 'sessionless') continue;
    const found = event.sessions.map((id) => sessions.get(id)).filter((session) => session !== undefined);
    for (const id of event.sessions) sessions.delete(id);
    if (found.length === 0) {
      if (event.outcome === 'acknowledged') errors.push(`lost: ${JSON.stringify(event)}`);
      continue;
    }
    present.push(event);
    const error =
      found.length === event.sessions.length
        ? storageError(event, found as Session[], feedback)
        : 'incomplete';
    if (error !== undefined) errors.push(`${error}: ${JSON.stringify(event)} as ${JSON.stringify(found)}`);
  }
  for (const session of sessions.values()) errors.push(`never sent: ${JSON.stringify(session)}`);
  expect(errors.slice(0, MAX_ERRORS_SHOWN), `${errors.length} errors in ${events.length} events`).toEqual([]);
  return present;
}

/** Describes how the stored sessions of an event differ from the event; undefined if they match. */
function storageError(
  event: SentEvent,
  found: Session[],
  feedback: ReadonlyMap<string, number>,
): string | undefined {
  const [session] = found as [Session];
  switch (event.kind) {
    case 'exposures': {
      const sent = (
        event.body.exposures as { splitTestKey: string; variationKey: string; sessionId: string }[]
      ).map(({ splitTestKey, variationKey, sessionId }) => `${sessionId} ${splitTestKey} ${variationKey}`);
      const stored = found.flatMap(({ sessionId, exposures }) =>
        exposures.map(({ splitTestKey, variationKey }) => `${sessionId} ${splitTestKey} ${variationKey}`),
      );
      return sent.sort().join() === stored.sort().join() ? undefined : 'wrong exposures';
    }
    case 'increment':
    case 'refund': {
      const sign = event.kind === 'refund' ? -1 : 1;
      const [goal] = session.goals;
      const isCorrect =
        goal?.goalId === 'revenue' && goal.count === sign && goal.amount === (sign * event.cents) / 100;
      return isCorrect && session.goals.length === 1 ? undefined : 'wrong goals';
    }
    case 'feedback':
      return session.feedback === 1 && feedback.get(String(event.body.message)) === 1
        ? undefined
        : 'wrong feedback count';
    case 'collect':
      return session.pageviews === 1 && session.visitorId === event.body.visitorId
        ? undefined
        : 'wrong page view count or visitor';
    case 'sessionless':
      return undefined;
  }
}

/** Checks that all totals match the stored events, which reveals duplicates. */
export async function expectTotals(
  server: TestServer,
  events: readonly SentEvent[],
  present: readonly SentEvent[],
): Promise<void> {
  const cents = (kind: SentEvent['kind']) =>
    present.filter((event) => event.kind === kind).reduce((sum, event) => sum + event.cents, 0);
  const count = (kind: SentEvent['kind']) => present.filter((event) => event.kind === kind).length;
  expect(await exposureTotal(server)).toBe(2 * count('exposures'));
  expect(await goalProgress(server, 'revenue')).toMatchObject({
    total: (cents('increment') - cents('refund')) / 100,
    count: count('increment') - count('refund'),
    gross: cents('increment') / 100,
    reversed: cents('refund') / 100,
  });
  expect(await allFeedback(server)).toHaveLength(count('feedback'));
  const sessionless = events.filter(({ kind }) => kind === 'sessionless');
  const { total } = await goalProgress(server, SESSIONLESS_GOAL);
  expect(total).toBeGreaterThanOrEqual(
    sessionless.filter(({ outcome }) => outcome === 'acknowledged').length,
  );
  expect(total).toBeLessThanOrEqual(sessionless.length);
}
