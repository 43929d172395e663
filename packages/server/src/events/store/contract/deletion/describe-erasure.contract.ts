import { expect, test } from 'vitest';
import type { AcceptedRequest } from '../../accepted-request.ts';
import type { PersonalSubject } from '../../erasure-subject.ts';
import type { EventStore, FeedbackPageQuery, SessionPageQuery } from '../../event-store.ts';
import type { NaiveEventStore } from '../naive-event-store.contract.ts';
import { T0 } from '../random-requests.contract.ts';
import { collect, entry, exposure, exposures, goal } from '../sample-requests.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

/** What belongs to a subject must be the same as in the model. */
export async function compareSubject(
  store: EventStore,
  model: NaiveEventStore,
  subject: PersonalSubject,
): Promise<void> {
  expect(await store.subjectContents(subject), JSON.stringify(subject)).toEqual(
    model.subjectContents(subject),
  );
  expect(await store.subjectSessions({ subject, limit: 99 })).toEqual(model.subjectSessions(subject));
  expect(await store.subjectVisitors(subject)).toEqual(model.subjectVisitors(subject));
}

/** The contract for erasing people, and entries that belong to no session. */
export function describeErasure({ store, add, nextProperty }: Suite): void {
  const sessionIds = async (propertyId: string) =>
    (await store().sessionPage({ propertyId, limit: 50 })).rows.map(({ sessionId }) => sessionId).sort();

  const sessionsOf = async (query: SessionPageQuery) => (await store().sessionPage(query)).rows;
  const sessionOf = (propertyId: string, sessionId: string) =>
    store().session({ propertyId, sessionId, limit: 1000 });
  const feedbackOf = async (query: FeedbackPageQuery) => (await store().feedbackPage(query)).rows;

  test('forgets every session of the visitor or user, and no others', async () => {
    const propertyId = nextProperty();
    const at = (n: number) => ({ propertyId, receivedAt: T0 + n });
    await add(
      collect({ ...at(0), sessionId: 'mine', visitorId: 'me' }),
      exposures(propertyId, T0 + 1, [exposure('mine', T0 + 1), exposure('yours', T0 + 1)]),
      goal({ ...at(2), sessionId: 'mine' }),
      goal(at(3)),
      entry({ ...at(4), sessionId: 'mine', id: 'f1' }),
      entry({ ...at(5), id: 'f2' }),
      collect({ ...at(6), sessionId: 'lent', visitorId: 'me' }),
      collect({ ...at(7), sessionId: 'lent', visitorId: 'you' }),
      collect({ ...at(8), sessionId: 'yours', visitorId: 'you', userId: 'u' }),
    );
    const ids = async () => (await sessionsOf({ propertyId, limit: 9 })).map((it) => it.sessionId);
    const [erasure, ...pages] = await Promise.all([
      store().forget([{ propertyId, visitorId: 'me' }]),
      ...Array.from({ length: 12 }, () => sessionsOf({ propertyId, limit: 9 })),
    ]);
    expect(erasure).toEqual([{ rows: 6 }]);
    for (const page of pages) expect([1, 3]).toContain(page.length);
    expect(await ids()).toEqual(['yours']);
    expect(await store().sessionIdentity(propertyId, 'mine')).toBeUndefined();
    expect((await feedbackOf({ propertyId, limit: 9 })).map((it) => it.id)).toEqual(['f2']);
    expect(await store().goalTotals({ propertyId, goalId: 'signup', from: 0, to: T0 * 2 })).toMatchObject({
      increments: 1,
    });
    expect(await store().forget([{ propertyId, visitorId: 'me' }])).toEqual([{ rows: 0 }]);
    await add(exposures(propertyId, T0 + 20, [exposure('mine', T0 + 20)]));
    expect((await sessionOf(propertyId, 'mine'))?.startedAt).toBe(T0 + 20);
    expect(await store().forget([{ propertyId, userId: 'u' }])).toEqual([{ rows: 2 }]);
    expect(await ids()).toEqual(['mine']);
  });

  test('forgets several subjects of several properties at once, and counts each row once', async () => {
    const [one, two] = [nextProperty(), nextProperty()];
    const visit = (propertyId: string, sessionId: string, visitorId: string) =>
      collect({ propertyId, receivedAt: T0, sessionId, visitorId, userId: `user-of-${visitorId}` });
    await add(
      visit(one, 's1', 'ann'),
      visit(one, 's2', 'bob'),
      visit(one, 's3', 'cid'),
      visit(two, 's1', 'ann'),
      visit(two, 's2', 'dan'),
    );
    const erasures = await store().forget([
      { propertyId: one, visitorId: 'ann' },
      { propertyId: one, userId: 'user-of-ann' },
      { propertyId: two, sessionId: 's2' },
      { propertyId: 'unknown', visitorId: 'ann' },
      { propertyId: one, visitorId: 'bob' },
    ]);
    expect(erasures.map(({ rows }) => rows)).toEqual([1, 0, 1, 0, 1]);
    const remaining = async (propertyId: string) =>
      (await sessionsOf({ propertyId, limit: 9 })).map(({ sessionId }) => sessionId);
    expect([await remaining(one), await remaining(two)]).toEqual([['s3'], ['s1']]);
    expect(await store().forget([])).toEqual([]);
  });

  test('forgets the visitors of a user, unless they were others too', async () => {
    const propertyId = nextProperty();
    const visit = (sessionId: string, visitorId: string, userId?: string) =>
      collect({ propertyId, sessionId, visitorId, receivedAt: T0, ...(userId && { userId }) });
    await add(
      visit('before', 'ann-phone'),
      visit('ann-1', 'ann-phone', 'ann'),
      visit('ann-2', 'ann-pc', 'ann'),
      visit('shared-ann', 'family', 'ann'),
      visit('shared-bob', 'family', 'bob'),
      visit('shared-none', 'family'),
      visit('other', 'cid'),
      exposures(propertyId, T0 + 1, [exposure('before', T0 + 1)]),
      goal({ propertyId, sessionId: 'ann-2', receivedAt: T0 + 2 }),
      entry({ propertyId, sessionId: 'before', receivedAt: T0 + 3 }),
    );
    const subject = { propertyId, userId: 'ann' };
    expect(await store().subjectContents(subject)).toEqual({
      visitors: 3,
      sessions: 4,
      events: 0,
      exposures: 1,
      conversions: 1,
      feedback: 1,
    });
    expect(await store().subjectVisitors(subject)).toEqual(['ann-pc', 'ann-phone']);
    expect(await store().subjectSessions({ subject, limit: 2 })).toEqual(['ann-1', 'ann-2']);
    expect(await store().subjectSessions({ subject, limit: 9, after: 'ann-2' })).toEqual([
      'before',
      'shared-ann',
    ]);
    expect(await store().forget([subject])).toEqual([{ rows: 7 }]);
    expect(await sessionIds(propertyId)).toEqual(['other', 'shared-bob', 'shared-none']);
  });

  test('forgets single entries: feedback by its id, and what has a pair of metadata', async () => {
    const propertyId = nextProperty();
    const other = nextProperty();
    const own = (n: number) => ({ propertyId, receivedAt: T0 + n });
    const mail = JSON.stringify({ plan: 'pro', mail: 'ann@example.com' });
    await add(
      entry({ ...own(1), id: 'named', message: 'call me' }),
      entry({ ...own(2), id: 'with-mail', metadata: mail }),
      entry({ ...own(3), id: 'kept', metadata: JSON.stringify({ mail: 'bob@example.com' }) }),
      goal({ ...own(4), metadata: mail, sessionId: 'only-goal' }),
      goal({ ...own(5), metadata: JSON.stringify({ 'a,"mail': 'ann@example.com' }) }),
      goal({ ...own(6), metadata: JSON.stringify({ note: ',"mail":"ann@example.com"' }) }),
      goal({ ...own(7), sessionId: 'with-visit', metadata: mail }),
      collect({ ...own(8), sessionId: 'with-visit', visitorId: 'ann' }),
      goal({ propertyId: other, receivedAt: T0, metadata: mail }),
    );
    const byMail = { propertyId, metadata: { key: 'mail', value: 'ann@example.com' } };
    expect(await store().subjectContents(byMail)).toMatchObject({
      sessions: 0,
      conversions: 2,
      feedback: 1,
    });
    expect(await store().forget([{ propertyId, feedbackId: 'named' }, byMail])).toEqual([
      { rows: 1 },
      { rows: 3 },
    ]);
    const { rows } = await store().feedbackPage({ propertyId, limit: 9 });
    expect(rows.map(({ id }) => id)).toEqual(['kept']);
    const goals = await store().conversionPage({ propertyId, limit: 9 });
    expect(goals.rows.map(({ at }) => at - T0)).toEqual([6, 5]);
    expect(await sessionIds(propertyId)).toEqual(['with-visit']);
    expect((await store().session({ propertyId, sessionId: 'with-visit', limit: 9 }))?.startedAt).toBe(
      T0 + 8,
    );
    expect((await store().conversionPage({ propertyId: other, limit: 9 })).rows).toHaveLength(1);
    expect(await store().forget([byMail])).toEqual([{ rows: 0 }]);
  });
}
