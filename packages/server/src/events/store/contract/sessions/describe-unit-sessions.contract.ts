import { hashedUnit } from '@switchyard/core/evaluation/exposed-unit';
import { DAY_MS } from '@switchyard/core/time';
import { expect, test } from 'vitest';
import type { AcceptedRequest } from '../../accepted-request.ts';
import type { EventStore } from '../../event-store.ts';
import { LOCAL_SOURCE } from '../../event-store.ts';
import { T0 } from '../random-requests.contract.ts';
import { collect, exposure, exposures, goal, splitTestQuery } from '../sample-requests.contract.ts';

interface Suite {
  open: () => Promise<{ store: EventStore; cleanup(): Promise<void> }>;
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

const FAR = T0 + 1000 * DAY_MS;

/** The contract for sessions that only stand for a visitor or user: see `isUnitSession`. */
export function describeUnitSessions({ open, store, add, nextProperty }: Suite): void {
  const unit = hashedUnit(['session', 'of a unit']);
  /** An exposure of somebody without a session. */
  const evaluated = (
    propertyId: string,
    who: { visitorId: string; userId?: string },
    at: number,
    sessionId = hashedUnit(['session', who.visitorId]),
  ): AcceptedRequest[] => [
    collect({
      propertyId,
      receivedAt: at,
      sessionId,
      ...who,
      device: 'unknown',
      browser: 'unknown',
      os: 'unknown',
      expired: true,
    }),
    exposures(propertyId, at, [exposure(sessionId, at)]),
  ];
  const countsOf = async (it: EventStore, propertyId: string, by: 'visitor' | 'user' = 'visitor') => {
    const query = splitTestQuery({ propertyId, goalIds: ['signup'], unit: by });
    const { groups } = await it.splitTestCounts(query);
    const sum = (of: (group: (typeof groups)[number]) => number) =>
      groups.reduce((total, group) => total + of(group), 0);
    return [sum(({ visitors }) => visitors), sum(({ goals }) => goals[0]?.conversions.sum ?? 0)];
  };

  test('count with the sessions of their visitor and user, whichever is stored first', async () => {
    const p = nextProperty();
    await add(...evaluated(p, { visitorId: 'ann' }, T0));
    await add(collect({ propertyId: p, receivedAt: T0 + 1, sessionId: 's1', visitorId: 'ann' }));
    await add(goal({ propertyId: p, receivedAt: T0 + 2, sessionId: 's1' }));
    expect(await countsOf(store(), p)).toEqual([1, 1]);
    await add(
      collect({ propertyId: p, receivedAt: T0 + 1, sessionId: 's2', visitorId: 'phone', userId: 'bob' }),
      ...evaluated(p, { visitorId: 'of-bob', userId: 'bob' }, T0 + 3),
      goal({ propertyId: p, receivedAt: T0 + 4, sessionId: 's2' }),
    );
    expect(await countsOf(store(), p, 'user')).toEqual([2, 2]);
    // By visitor, nobody knows that they are the same.
    expect(await countsOf(store(), p)).toEqual([2, 1]);
  });

  test('are no visits', async () => {
    const p = nextProperty();
    await add(collect({ propertyId: p, receivedAt: T0, sessionId: 'visit', visitorId: 'ann' }));
    const figures = async () => {
      const period = { propertyId: p, from: T0 - DAY_MS, to: FAR, filters: {} };
      return {
        sessions: (await store().sessionPage({ propertyId: p, limit: 9 })).rows.map((it) => it.sessionId),
        ofVisitor: (await store().sessionPage({ propertyId: p, visitorId: 'ann', limit: 9 })).rows.length,
        counts: await store().trafficCounts({ ...period, starts: [T0 - DAY_MS] }),
        devices: await store().trafficBreakdown({ ...period, by: 'device', bot: false, limit: 9 }),
      };
    };
    const before = await figures();
    expect(before).toMatchObject({ sessions: ['visit'], ofVisitor: 1 });
    await add(
      ...evaluated(p, { visitorId: 'ann' }, T0 + 1),
      ...evaluated(p, { visitorId: 'bob' }, T0 + 2),
      ...evaluated(p, { visitorId: 'bob' }, T0 + DAY_MS),
    );
    expect(await figures()).toEqual(before);
  });

  test('are erased with their visitor or user, and part of what is known of them', async () => {
    const p = nextProperty();
    await add(
      ...evaluated(p, { visitorId: 'ann' }, T0),
      ...evaluated(p, { visitorId: 'of-bob', userId: 'bob' }, T0),
      ...evaluated(p, { visitorId: 'eve' }, T0),
    );
    const subject = { propertyId: p, userId: 'bob' };
    const [sessionId = ''] = await store().subjectSessions({ subject, limit: 9 });
    expect(sessionId).toBe(hashedUnit(['session', 'of-bob']));
    expect(await store().session({ propertyId: p, sessionId, limit: 9 })).toMatchObject({
      visitorId: 'of-bob',
      userId: 'bob',
      startedAt: T0,
      exposures: [{ splitTestKey: 'hero', variationKey: 'a', at: T0 }],
    });
    expect(await store().subjectContents(subject)).toMatchObject({ exposures: 1, sessions: 0, events: 0 });
    await store().forget([subject]);
    expect(await countsOf(store(), p)).toEqual([2, 0]);
    await store().forget([{ propertyId: p, visitorId: 'ann' }]);
    expect(await countsOf(store(), p)).toEqual([1, 0]);
    expect(await store().subjectSessions({ subject, limit: 9 })).toEqual([]);
  });

  test('expire with their last exposure; their visitor stays known until then', async () => {
    const p = nextProperty();
    await add(
      ...evaluated(p, { visitorId: 'ann' }, T0, unit),
      // A collect whose exposure is stored a moment later.
      collect({
        propertyId: p,
        receivedAt: T0 + 5 * DAY_MS,
        sessionId: hashedUnit(['late']),
        visitorId: 'late',
        expired: true,
      }),
      collect({ propertyId: p, receivedAt: T0, sessionId: 's1', visitorId: 'ann' }),
      collect({ propertyId: p, receivedAt: T0 + 9 * DAY_MS, sessionId: 's2', visitorId: 'ann' }),
      goal({ propertyId: p, receivedAt: T0 + 9 * DAY_MS, sessionId: 's2' }),
    );
    await add(...evaluated(p, { visitorId: 'ann' }, T0 + 4 * DAY_MS, unit));
    await store().expire(p, T0 + DAY_MS);
    expect(await countsOf(store(), p)).toEqual([1, 1]);
    await add(exposures(p, T0 + 5 * DAY_MS, [exposure(hashedUnit(['late']), T0 + 5 * DAY_MS)]));
    expect(await store().subjectVisitors({ propertyId: p, visitorId: 'late' })).toEqual(['late']);
    expect(
      await store().subjectSessions({ subject: { propertyId: p, visitorId: 'late' }, limit: 9 }),
    ).toEqual([hashedUnit(['late'])]);
    await store().expire(p, T0 + 6 * DAY_MS);
    expect(await countsOf(store(), p)).toEqual([0, 0]);
    const subject = { propertyId: p, visitorId: 'ann' };
    expect(await store().subjectSessions({ subject, limit: 9 })).toEqual(['s2']);
  });

  test('move to another store as they are', async () => {
    const p = nextProperty();
    const [source, target] = [await open(), await open()];
    try {
      const requests = [
        ...evaluated(p, { visitorId: 'of-bob', userId: 'bob' }, T0),
        collect({ propertyId: p, receivedAt: T0 + 1, sessionId: 's', visitorId: 'phone', userId: 'bob' }),
        goal({ propertyId: p, receivedAt: T0 + 2, sessionId: 's' }),
      ];
      await source.store.append(
        LOCAL_SOURCE,
        requests.map((request, index) => ({ seq: index + 1, request })),
      );
      const entries = await source.store.exportEntries(LOCAL_SOURCE, 0, 99);
      await target.store.append(LOCAL_SOURCE, entries);
      expect(await countsOf(target.store, p, 'user')).toEqual([1, 1]);
      const { rows } = await target.store.sessionPage({ propertyId: p, limit: 9 });
      expect(rows.map(({ sessionId }) => sessionId)).toEqual(['s']);
      expect(await target.store.exportEntries(LOCAL_SOURCE, 0, 99)).toEqual(entries);
    } finally {
      await source.cleanup();
      await target.cleanup();
    }
  });
}
