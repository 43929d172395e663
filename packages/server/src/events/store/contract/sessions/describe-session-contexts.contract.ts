import { DAY_MS } from '@switchyard/core/time';
import { expect, test } from 'vitest';
import type { AcceptedCollect, AcceptedRequest } from '../../accepted-request.ts';
import type { EventStore } from '../../event-store.ts';
import type { SessionContextQuery, SessionContexts, VisitPart } from '../../session-context-queries.ts';
import type { NaiveEventStore, NaiveSession } from '../naive-event-store.contract.ts';
import { T0 } from '../random-requests.contract.ts';
import { collect, goal } from '../sample-requests.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

/** All that can be known of a visit. */
export const ALL_PARTS: readonly VisitPart[] = ['entry', 'start', 'returning'];

export const contextQuery = (
  overrides: Partial<SessionContextQuery> & { propertyId: string },
): SessionContextQuery => ({
  from: T0,
  to: T0 + 28 * DAY_MS,
  attributes: ['n'],
  maxSessions: 1000,
  maxCharacters: 1_000_000,
  ...overrides,
});

/** One row per session, sorted by its id. */
export function rowsOf({
  sessionIds,
  visitorIds,
  userIds,
  startedAt,
  returning,
  contextIndexes,
  contexts,
}: SessionContexts): object[] {
  const rows = sessionIds.map((sessionId, at) => {
    const { attributes, ...client } = contexts[contextIndexes[at]!]!;
    const identity = { visitorId: visitorIds[at], userId: userIds[at] };
    return {
      sessionId,
      ...identity,
      attributes: JSON.parse(attributes) as unknown,
      ...client,
      ...(startedAt && { startedAt: startedAt[at] }),
      ...(returning && { returning: returning[at] }),
    };
  });
  return rows.sort((left, right) => (left.sessionId < right.sessionId ? -1 : 1));
}

export async function compareSessionContexts(
  store: EventStore,
  model: NaiveEventStore,
  propertyId: string,
): Promise<void> {
  for (const period of [{}, { from: T0 + 20, to: T0 + 30 * DAY_MS }, { from: 0, to: T0 + 50 }]) {
    const query = contextQuery({ propertyId, ...period, attributes: ['n', 'none'] });
    const found = await store.sessionContexts(query);
    expect(found.share).toBe(1);
    const expected = naiveContexts(model, query);
    expect(rowsOf(found)).toEqual(expected.map(({ visit: _visit, ...row }) => row));
    const withVisits = await store.sessionContexts({ ...query, visit: ALL_PARTS });
    const visits = expected.map(({ visit, ...row }) => ({ ...row, ...visit }));
    expect(rowsOf(withVisits)).toEqual(visits);
    const sessionIds = visits.map(({ sessionId }) => sessionId);
    const known = await store.knownSessions({
      propertyId,
      sessionIds,
      attributes: query.attributes,
      visit: ALL_PARTS,
    });
    const byId = new Map(known.map((each) => [each.sessionId, each]));
    for (const { attributes, ...visit } of visits)
      expect(byId.get(visit.sessionId)).toEqual({ ...visit, attributes: JSON.stringify(attributes) });
  }
}

function naiveContexts(model: NaiveEventStore, { propertyId, from, to, attributes }: SessionContextQuery) {
  const sessions = model
    .sessions(propertyId)
    .filter(({ visitorId, device, startedAt }) => {
      return visitorId !== null && device !== 'bot' && startedAt >= from && startedAt < to;
    })
    .map(({ sessionId }) => model.session(propertyId, sessionId) as NaiveSession);
  return sessions
    .map((session) => {
      const { sessionId, visitorId, userId, country, device, browser, os, attributes: json } = session;
      const own = JSON.parse(json ?? '{}') as Record<string, unknown>;
      const read = attributes.map((name) => own[name] ?? null);
      const visit = model.visit(propertyId, session);
      return { sessionId, visitorId, userId, attributes: read, country, device, browser, os, visit };
    })
    .sort((left, right) => (left.sessionId < right.sessionId ? -1 : 1));
}

/** The contract for the contexts of sessions. */
export function describeSessionContexts({ store, add, nextProperty }: Suite): void {
  const session = (propertyId: string, more: Partial<AcceptedCollect>) =>
    collect({ propertyId, receivedAt: T0 + 1, ...more });

  test('returns what the latest collects of a session say, with the values that are asked for', async () => {
    const propertyId = nextProperty();
    const given = { 'a/b~c': [1, 'two'], '': false, deep: { n: 1 }, text: 'é😀' };
    await add(
      session(propertyId, { userId: 'u1', attributes: '{"text":"old"}', country: 'DE' }),
      session(propertyId, { attributes: JSON.stringify(given), visitorId: 'v2' }),
      session(propertyId, { device: 'mobile', visitorId: 'v3' }),
    );
    const attributes = ['text', 'a/b~c', '', 'deep', 'missing', '$.deep.n'];
    expect(rowsOf(await store().sessionContexts(contextQuery({ propertyId, attributes })))).toEqual([
      {
        sessionId: 's',
        visitorId: 'v3',
        userId: 'u1',
        attributes: ['é😀', [1, 'two'], false, { n: 1 }, null, null],
        country: null,
        device: 'mobile',
        browser: 'Firefox',
        os: 'Linux',
      },
    ]);
    const [row] = rowsOf(await store().sessionContexts(contextQuery({ propertyId, attributes: [] })));
    expect(row).toMatchObject({ visitorId: 'v3', attributes: [] });
  });

  test('returns what is asked for of the visits', async () => {
    const propertyId = nextProperty();
    const page = (at: number, url: string, referrer: string) =>
      ({ type: 'pageview', at: T0 + at, url, referrer }) as const;
    const visits = [
      ['s1', 'v1', 30, page(10, '/second?utm_source=x', '')],
      ['s1', 'v1', 31, page(5, '/first', '/own')],
      ['s2', 'v1', 30, page(20, '/again', 'https://news.example/')],
      ['s3', 'v2', 30, page(5, '/first', '/own')],
      ['s4', 'v1', 25],
      ['s4', 'v2', 30],
      ['before', 'v3', -5],
      ['s5', 'v3', 30, page(30, '/again', '')],
    ] as const;
    const requests = visits.map(([sessionId, visitorId, at, ...pages]) =>
      collect({ propertyId, sessionId, visitorId, receivedAt: T0 + at }, [...pages]),
    );
    await add(...requests);
    const of = async (visit: readonly VisitPart[]) => {
      const found = await store().sessionContexts(contextQuery({ propertyId, visit, attributes: [] }));
      return { rows: rowsOf(found) as Record<string, unknown>[], contexts: found.contexts.length };
    };
    const members = (rows: Record<string, unknown>[], ...names: string[]) =>
      rows.map((row) => names.map((name) => row[name]));
    const entries = await of(['entry']);
    expect(members(entries.rows, 'entryUrl', 'referrer', 'startedAt', 'returning')).toEqual([
      ['/first', '/own', undefined, undefined],
      ['/again', 'https://news.example/', undefined, undefined],
      ['/first', '/own', undefined, undefined],
      [null, null, undefined, undefined],
      ['/again', null, undefined, undefined],
    ]);
    expect(entries.contexts).toBe(4);
    const starts = await of(['start', 'returning']);
    expect(members(starts.rows, 'startedAt', 'returning', 'entryUrl')).toEqual([
      [T0 + 5, false, undefined],
      [T0 + 20, true, undefined],
      [T0 + 5, false, undefined],
      [T0 + 25, true, undefined],
      [T0 + 30, true, undefined],
    ]);
    expect(starts.contexts).toBe(1);
    await store().expire(propertyId, T0 + 8);
    expect(members((await of(ALL_PARTS)).rows, 'entryUrl', 'startedAt', 'returning')).toEqual([
      ['/first', T0 + 5, false],
      ['/again', T0 + 20, true],
      [null, T0 + 25, false],
      ['/again', T0 + 30, false],
    ]);
  });

  test('leaves out bots, sessions without a visitor, and those that started at other times', async () => {
    const propertyId = nextProperty();
    await add(
      session(propertyId, { sessionId: 'before', receivedAt: T0 - 1 }),
      session(propertyId, { sessionId: 'first', receivedAt: T0 }),
      session(propertyId, { sessionId: 'crawler', device: 'bot' }),
      goal({ propertyId, sessionId: 'unknown', receivedAt: T0 + 5 }),
      session(propertyId, { sessionId: 'after', receivedAt: T0 + 28 * DAY_MS }),
    );
    const { sessionIds, contexts } = await store().sessionContexts(contextQuery({ propertyId }));
    expect(sessionIds).toEqual(['first']);
    expect(contexts).toHaveLength(1);
    const none = await store().sessionContexts(contextQuery({ propertyId: 'unknown' }));
    expect(none).toMatchObject({ share: 1, sessionIds: [], contexts: [] });
  });

  test('returns all sessions of a random sample of the visitors, always the same, if there are too many', async () => {
    const propertyId = nextProperty();
    const all = Array.from({ length: 4000 }, (_, index) => {
      const plan = index % 3 === 0 ? 'pro' : 'free';
      return session(propertyId, {
        sessionId: `s${index}`,
        visitorId: `v${index % 2000}`,
        attributes: `{"n":"${plan}"}`,
      });
    });
    await add(...all);
    const query = contextQuery({ propertyId, maxSessions: 1500 });
    const some = await store().sessionContexts(query);
    expect(some.share).toBe(0.25);
    expect(some.contexts).toHaveLength(2);
    const counts = new Map<string, number>();
    for (const id of some.visitorIds) counts.set(id, (counts.get(id) ?? 0) + 1);
    expect([...new Set(counts.values())]).toEqual([2]);
    expect(Math.abs(counts.size - 500)).toBeLessThan(150);
    // The sessions of a visitor follow each other.
    const changes = some.visitorIds.filter((id, at) => id !== some.visitorIds[at - 1]);
    expect(changes).toHaveLength(counts.size);
    expect(await store().sessionContexts(query)).toEqual(some);
    const short = await store().sessionContexts({ ...query, maxSessions: 10_000, maxCharacters: 10_000 });
    const visitors = new Set(short.visitorIds).size;
    expect(short.sessionIds).toHaveLength(2 * visitors);
    expect(Math.abs(visitors / 2000 - short.share)).toBeLessThan(0.1);
    expect(short.share).toBeLessThan(0.9);
  });

  test('can be cancelled, and leaves the store usable', async () => {
    const propertyId = nextProperty();
    await add(session(propertyId, {}));
    const controller = new AbortController();
    const reading = store().sessionContexts(contextQuery({ propertyId }), controller.signal);
    controller.abort();
    await expect(reading).rejects.toThrow();
    expect((await store().sessionContexts(contextQuery({ propertyId }))).sessionIds).toEqual(['s']);
  });
}
