import { OTHER_PUBLIC_KEY, OTHER_SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Enabled for one user only. */
const FOR_SECOND = {
  key: 'for-second',
  name: 'For the second user',
  type: 'boolean',
  defaultValue: false,
  environments: {
    production: {
      enabled: true,
      value: false,
      rules: [
        {
          id: 'second',
          conditions: [{ attribute: 'userId', operator: 'equals', values: ['u-second'] }],
          value: true,
        },
      ],
    },
  },
};

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ flags: [FOR_SECOND] }) });
});
afterAll(() => closeShop(shop));

const identity = async (sessionId: string) => {
  const { visitorId, userId } = await shop.session(sessionId);
  return { visitorId, userId };
};
const ids = async (query: Record<string, string>): Promise<string[]> =>
  (await shop.sessions({ limit: '500', ...query })).sessions.map(
    ({ sessionId }: { sessionId: string }) => sessionId,
  );

/** Requests that can refer to a session before its visitor is known. */
const firstRequests = [
  {
    what: 'an exposure',
    send: (sessionId: string) => shop.expose({ splitTestKey: 'hero', variationKey: 'b', sessionId }),
    trace: {
      exposures: [{ splitTestKey: 'hero', variationKey: 'b', at: expect.any(Number) }],
      goals: [],
      feedback: 0,
    },
  },
  {
    what: 'an increment',
    send: (sessionId: string) => shop.increment({ goalId: 'revenue', amount: 5, sessionId }),
    trace: { exposures: [], goals: [{ goalId: 'revenue', count: 1, amount: 5 }], feedback: 0 },
  },
  {
    what: 'a decrement',
    send: (sessionId: string) => shop.decrement({ goalId: 'signup', sessionId }),
    trace: { exposures: [], goals: [{ goalId: 'signup', count: -1, amount: 0 }], feedback: 0 },
  },
  {
    what: 'a feedback',
    send: (sessionId: string) => shop.submit({ feedbackTypeId: 'nps', option: 'bad', sessionId }),
    trace: { exposures: [], goals: [], feedback: 1 },
  },
];
const slug = (text: string) => text.replaceAll(' ', '-');

describe('a session without a collect request', () => {
  it.each(firstRequests)('is listed after $what', async ({ what, send, trace }) => {
    const sessionId = `alone-${slug(what)}`;
    const before = Date.now();
    await accepted(send(sessionId));
    const { sessions } = await shop.sessions({ from: String(before), limit: '500' });
    const session = sessions.find((candidate: { sessionId: string }) => candidate.sessionId === sessionId);
    expect(session).toEqual({
      sessionId,
      visitorId: null,
      userId: null,
      startedAt: expect.any(Number),
      lastSeenAt: session.startedAt,
      durationMs: 0,
      entryUrl: null,
      exitUrl: null,
      referrer: null,
      pageviews: 0,
      events: 0,
      device: null,
      browser: null,
      os: null,
      bot: false,
      ...trace,
    });
    expect((await shop.session(sessionId)).timeline).toHaveLength(1);
  });

  it.each(firstRequests)(
    'gets its visitor and user when it is collected after $what',
    async ({ what, send, trace }) => {
      const sessionId = `late-${slug(what)}`;
      await accepted(send(sessionId));
      expect(await identity(sessionId)).toEqual({ visitorId: null, userId: null });
      expect(await ids({ visitorId: `v-${slug(what)}` })).toEqual([]);
      await accepted(shop.collect({ sessionId, visitorId: `v-${slug(what)}`, userId: `u-${slug(what)}` }));
      expect(await shop.session(sessionId)).toMatchObject({
        visitorId: `v-${slug(what)}`,
        userId: `u-${slug(what)}`,
        ...trace,
      });
      expect(await ids({ visitorId: `v-${slug(what)}` })).toEqual([sessionId]);
      expect(await ids({ userId: `u-${slug(what)}` })).toEqual([sessionId]);
    },
  );
});

describe('the identity of a session', () => {
  it('a user who identifies later owns the whole session', async () => {
    const collect = (userId?: string) => shop.collect({ sessionId: 'login', visitorId: 'v-login', userId });
    await accepted(collect());
    expect(await identity('login')).toEqual({ visitorId: 'v-login', userId: null });
    await accepted(collect('u-login'));
    expect(await identity('login')).toEqual({ visitorId: 'v-login', userId: 'u-login' });
    await accepted(collect());
    expect(await identity('login')).toEqual({ visitorId: 'v-login', userId: 'u-login' });
    expect(await ids({ userId: 'u-login' })).toEqual(['login']);
  });

  it('the latest visitor and the latest user count', async () => {
    await accepted(shop.collect({ sessionId: 'changed', visitorId: 'v-old', userId: 'u-old' }));
    await accepted(shop.collect({ sessionId: 'changed', visitorId: 'v-new', userId: 'u-new' }));
    expect(await identity('changed')).toEqual({ visitorId: 'v-new', userId: 'u-new' });
    expect(await ids({ visitorId: 'v-new' })).toEqual(['changed']);
    expect(await ids({ visitorId: 'v-old' })).toEqual([]);
    expect(await ids({ userId: 'u-old' })).toEqual([]);
  });

  it('a replayed collect request changes neither the session nor flag evaluations', async () => {
    const first = { sessionId: 'replayed', visitorId: 'v-first', userId: 'u-first' };
    const key = { 'idempotency-key': 'collect-replayed' };
    await accepted(shop.collect(first, key));
    await accepted(shop.collect({ ...first, visitorId: 'v-second', userId: 'u-second' }));
    await accepted(shop.collect(first, key));
    expect(await identity('replayed')).toEqual({ visitorId: 'v-second', userId: 'u-second' });
    const { body } = await shop.evaluate({ context: { sessionId: 'replayed' }, flagKeys: ['for-second'] });
    expect(body.flags['for-second'].value).toBe(true);
  });

  it('a visitor can have several sessions, and a user several visitors', async () => {
    await accepted(
      shop.collect({ sessionId: 'phone-1', visitorId: 'phone', userId: 'ann' }),
      shop.collect({ sessionId: 'phone-2', visitorId: 'phone' }),
      shop.collect({ sessionId: 'laptop-1', visitorId: 'laptop', userId: 'ann' }),
    );
    expect((await ids({ visitorId: 'phone' })).sort()).toEqual(['phone-1', 'phone-2']);
    expect((await ids({ userId: 'ann' })).sort()).toEqual(['laptop-1', 'phone-1']);
    expect(await ids({ visitorId: 'phone', userId: 'ann' })).toEqual(['phone-1']);
  });
});

describe('the same session id in another property', () => {
  const theirs = (method: string, path: string, body?: object) =>
    shop.server.call(method, path, { key: method === 'POST' ? OTHER_PUBLIC_KEY : OTHER_SECRET_KEY, body });

  it('is a different session', async () => {
    await accepted(
      shop.collect({ sessionId: 'shared', visitorId: 'ours', events: [{ type: 'pageview', url: '/ours' }] }),
      theirs('POST', '/v1/sessions/collect', {
        propertyId: 'other',
        sessionId: 'shared',
        visitorId: 'theirs',
        userId: 'them',
      }),
    );
    await accepted(shop.increment({ goalId: 'signup', sessionId: 'shared' }));
    expect(await shop.session('shared')).toMatchObject({
      visitorId: 'ours',
      userId: null,
      pageviews: 1,
      goals: [{ goalId: 'signup' }],
    });
    const detail = await theirs('GET', '/v1/sessions/shared?propertyId=other');
    expect(detail.body).toMatchObject({ visitorId: 'theirs', userId: 'them', pageviews: 0, goals: [] });
    expect(await ids({ visitorId: 'theirs' })).toEqual([]);
    const listed = await theirs('GET', '/v1/sessions?propertyId=other');
    expect(listed.body.sessions.map(({ visitorId }: { visitorId: string }) => visitorId)).toEqual(['theirs']);
  });

  it('is not found if only the other property has it', async () => {
    await accepted(shop.collect({ sessionId: 'only-ours', visitorId: 'v' }));
    const response = await theirs('GET', '/v1/sessions/only-ours?propertyId=other');
    expectProblem(response, { status: 404, code: 'not_found' });
  });
});

it('an unknown session: 404', async () => {
  for (const sessionId of ['unknown', 'Full', '%00', 'a%2Fb']) {
    const response = await shop.get(`/v1/sessions/${sessionId}`);
    expectProblem(response, { status: 404, code: 'not_found' });
  }
});
