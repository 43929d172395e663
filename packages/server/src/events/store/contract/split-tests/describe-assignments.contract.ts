import { assign } from '@switchyard/core/evaluation/assignment';
import { DAY_MS } from '@switchyard/core/time';
import { expect, test } from 'vitest';
import type { AcceptedRequest } from '../../accepted-request.ts';
import type { AssignmentCounts, AssignmentQuery } from '../../assignment-queries.ts';
import type { EventStore } from '../../event-store.ts';
import { T0 } from '../random-requests.contract.ts';
import { collect, exposure, exposures, goal } from '../sample-requests.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

const TEST = {
  hashSeed: 'seed',
  trafficAllocation: 100,
  variations: ['a', 'b'].map((key) => ({ key, weight: 50 })),
};

export const assignmentQuery = (
  overrides: Partial<AssignmentQuery> & { propertyId: string },
): AssignmentQuery => ({
  split: { kind: 'test', test: TEST },
  from: T0,
  to: T0 + 28 * DAY_MS,
  goalIds: ['signup', 'revenue'],
  revenueGoalIds: ['revenue'],
  maxSessions: 1_000_000,
  ...overrides,
});

const visitorsOf = ({ groups }: AssignmentCounts) => groups.map(({ visitors }) => visitors);

/** Totals over both groups. */
const totalOf = ({ groups }: AssignmentCounts, goalId: string) =>
  groups
    .flatMap(({ goals }) => goals.filter((it) => it.goalId === goalId))
    .reduce(
      (total, { converted, conversions, amount }) => ({
        converted: total.converted + converted,
        conversions: total.conversions + conversions.sum,
        amount: total.amount + amount.sum,
      }),
      { converted: 0, conversions: 0, amount: 0 },
    );

/** The contract for visitors that are assigned while they are counted. */
export function describeAssignments({ store, add, nextProperty }: Suite): void {
  const session = (propertyId: string, sessionId: string, visitorId: string, receivedAt = T0 + 1) =>
    collect({ propertyId, sessionId, visitorId, receivedAt });

  test('assigns every visitor as the SDKs do', async () => {
    const propertyId = nextProperty();
    const ids = Array.from({ length: 5000 }, (_, index) => `${index % 3 ? 'visitor' : 'é😀'}-${index}`);
    await add(...ids.map((id, index) => session(propertyId, `s${index}`, id)));
    for (const hashSeed of ['one', 'two']) {
      const query = assignmentQuery({ propertyId });
      const test = {
        hashSeed,
        trafficAllocation: 80,
        variations: ['a', 'b', 'c'].map((key, index) => ({ key, weight: index + 1 })),
      };
      const expected = test.variations.map((_, at) => {
        const own = ids.filter((id) => assign(test, id).included && assign(test, id).index === at);
        return own.length;
      });
      expect(visitorsOf(await store().assignmentCounts({ ...query, split: { kind: 'test', test } }))).toEqual(
        expected,
      );
    }
    for (const [index, id] of ids.slice(0, 3).entries()) {
      const one = nextProperty();
      await add(session(one, `s${index}`, id));
      const query = assignmentQuery({ propertyId: one });
      expect(visitorsOf(await store().assignmentCounts(query)).indexOf(1)).toBe(assign(TEST, id).index);
    }
  });

  test('assigns the holdout as the SDKs do, and leaves out visitors whom it released', async () => {
    const propertyId = nextProperty();
    const ids = Array.from({ length: 3000 }, (_, index) => `${index % 3 ? 'visitor' : 'é😀'}-${index}`);
    await add(...ids.map((id, index) => session(propertyId, `s${index}`, id)));
    const heldOutAt = (percentage: number, seed: string) =>
      ids.filter((id) => !assign(TEST, id, { seed, percentage }).included).length;
    for (const [percentage, largest, seed] of [
      [5, 5, 'one'],
      [12.5, 40, 'two'],
      [100, 100, 'two'],
    ] as const) {
      const split = { kind: 'holdout' as const, holdout: { seed, percentage }, largest };
      const counts = await store().assignmentCounts(assignmentQuery({ propertyId, split }));
      expect(counts.groups.map(({ key }) => key)).toEqual(['held-out', 'others']);
      expect(visitorsOf(counts)).toEqual([
        heldOutAt(percentage, seed),
        ids.length - heldOutAt(largest, seed),
      ]);
    }
  });

  test('leaves crawlers out by their device, whatever exposures say', async () => {
    const propertyId = nextProperty();
    const crawler = (sessionId: string, visitorId: string, receivedAt = T0 + 1) =>
      collect({ propertyId, sessionId, visitorId, receivedAt, device: 'bot' });
    await add(
      session(propertyId, 's1', 'v1'),
      crawler('s2', 'v2'),
      // Known as a crawler only by another session, and only by a later request.
      session(propertyId, 's3', 'v3'),
      session(propertyId, 's4', 'v3', T0 + 2),
      crawler('s4', 'v3', T0 + 3),
      // A crawler before the period.
      crawler('s5', 'v4', T0 - 1),
      session(propertyId, 's6', 'v4'),
      // Marked by an exposure.
      session(propertyId, 's7', 'v5'),
      exposures(propertyId, T0 + 2, [{ ...exposure('s7', T0 + 2), bot: true }]),
      ...['s1', 's2', 's3', 's6', 's7'].map((sessionId) =>
        goal({ propertyId, sessionId, receivedAt: T0 + 4 }),
      ),
    );
    const counts = await store().assignmentCounts(assignmentQuery({ propertyId }));
    expect(visitorsOf(counts).reduce((sum, it) => sum + it)).toBe(3);
    expect(totalOf(counts, 'signup').converted).toBe(3);
  });

  test('counts each visitor with a session in the period once, and no session without a visitor', async () => {
    const propertyId = nextProperty();
    await add(
      session(propertyId, 'before', 'v0', T0 - 1),
      session(propertyId, 'first', 'v1', T0),
      session(propertyId, 'second', 'v1', T0 + DAY_MS),
      session(propertyId, 'last', 'v2', T0 + 28 * DAY_MS - 1),
      session(propertyId, 'after', 'v3', T0 + 28 * DAY_MS),
      goal({ propertyId, sessionId: 'unknown', receivedAt: T0 + 5 }),
    );
    const counts = await store().assignmentCounts(assignmentQuery({ propertyId }));
    expect(counts.share).toBe(1);
    expect(visitorsOf(counts).reduce((sum, it) => sum + it)).toBe(2);
    expect(totalOf(counts, 'signup')).toEqual({ converted: 0, conversions: 0, amount: 0 });
  });

  test('attributes all sessions to their latest visitor', async () => {
    const propertyId = nextProperty();
    await add(
      session(propertyId, 's1', 'v1'),
      goal({ propertyId, sessionId: 's1', receivedAt: T0 + 2 }),
      session(propertyId, 's2', 'v2', T0 + 3),
      goal({ propertyId, sessionId: 's2', receivedAt: T0 + 4 }),
      session(propertyId, 's2', 'v1', T0 + 5),
    );
    const counts = await store().assignmentCounts(assignmentQuery({ propertyId }));
    expect(visitorsOf(counts).toSorted()).toEqual([0, 1]);
    expect(totalOf(counts, 'signup')).toEqual({ converted: 1, conversions: 2, amount: 0 });
  });

  test('counts conversions from the first session of the period to its end, net of reversals', async () => {
    const propertyId = nextProperty();
    const at = (receivedAt: number, more: object = {}) =>
      goal({ propertyId, sessionId: 's', receivedAt, ...more });
    await add(
      session(propertyId, 'old', 'v', T0 - DAY_MS),
      goal({ propertyId, sessionId: 'old', receivedAt: T0 + 1 }),
      session(propertyId, 's', 'v', T0 + 10),
      at(T0 + 20),
      at(T0 + 21),
      at(T0 + 22, { direction: -1 }),
      at(T0 + 23, { goalId: 'revenue', amountMicros: 5_000_000 }),
      at(T0 + 24, { goalId: 'revenue', direction: -1, amountMicros: -2_000_000 }),
      goal({ propertyId, sessionId: 'old', receivedAt: T0 + 30 }),
      at(T0 + 28 * DAY_MS),
    );
    const counts = await store().assignmentCounts(assignmentQuery({ propertyId }));
    expect(totalOf(counts, 'signup')).toEqual({ converted: 1, conversions: 2, amount: 0 });
    expect(totalOf(counts, 'revenue')).toEqual({ converted: 1, conversions: 0, amount: 3 });
  });

  test('counts a random sample of the visitors, always the same, if there are too many', async () => {
    const propertyId = nextProperty();
    const number = 4000;
    await add(
      ...Array.from({ length: number }, (_, index) => session(propertyId, `s${index}`, `v${index}`)),
      ...Array.from({ length: number }, (_, index) =>
        goal({ propertyId, sessionId: `s${index}`, receivedAt: T0 + 2 }),
      ),
    );
    const query = assignmentQuery({ propertyId, maxSessions: 1500 });
    const counts = await store().assignmentCounts(query);
    expect(counts.share).toBe(0.25);
    const sampled = visitorsOf(counts).reduce((sum, it) => sum + it);
    expect(sampled).toBeGreaterThan(700);
    expect(sampled).toBeLessThan(1300);
    expect(totalOf(counts, 'signup')).toEqual({ converted: sampled, conversions: sampled, amount: 0 });
    expect(await store().assignmentCounts(query)).toEqual(counts);
  });

  test('returns zero counts for an unknown property, and works without goals', async () => {
    const none = await store().assignmentCounts(assignmentQuery({ propertyId: 'unknown' }));
    expect(visitorsOf(none)).toEqual([0, 0]);
    const propertyId = nextProperty();
    await add(session(propertyId, 's', 'v'));
    const counts = await store().assignmentCounts(assignmentQuery({ propertyId, goalIds: [] }));
    expect(counts.groups.map(({ goals }) => goals)).toEqual([[], []]);
    expect(visitorsOf(counts).toSorted()).toEqual([0, 1]);
  });

  test('can be cancelled, and leaves the store usable', async () => {
    const propertyId = nextProperty();
    await add(...Array.from({ length: 3000 }, (_, index) => session(propertyId, `s${index}`, `v${index}`)));
    const controller = new AbortController();
    const counting = store().assignmentCounts(assignmentQuery({ propertyId }), controller.signal);
    controller.abort();
    await expect(counting).rejects.toThrow();
    const counts = await store().assignmentCounts(assignmentQuery({ propertyId }));
    expect(visitorsOf(counts).reduce((sum, it) => sum + it)).toBe(3000);
  });
}
