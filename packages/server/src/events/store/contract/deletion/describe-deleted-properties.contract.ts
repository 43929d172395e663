import { DAY_MS } from '@switchyard/core/time';
import { expect, test } from 'vitest';
import type { AcceptedRequest } from '../../accepted-request.ts';
import { type EventStore, LOCAL_SOURCE } from '../../event-store.ts';
import { T0 } from '../random-requests.contract.ts';
import { collect, entry, exposure, exposures, goal } from '../sample-requests.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

/** The contract for deleting all events of a property. */
export function describeDeletedProperties({ store, add, nextProperty }: Suite): void {
  test('forgets everything of a property, also without a session, and nothing of others', async () => {
    const [gone, kept] = [nextProperty(), nextProperty()];
    for (const propertyId of [gone, kept]) {
      await add(
        collect({ propertyId, receivedAt: T0, sessionId: 's', visitorId: 'ann', country: 'SE' }),
        exposures(propertyId, T0 + 1, [exposure('s', T0 + 1), exposure('never-collected', T0 + 1)]),
        goal({ propertyId, receivedAt: T0 + 2, sessionId: 's' }),
        goal({ propertyId, receivedAt: T0 + 3, goalId: `goal-of-${propertyId}` }),
        entry({ propertyId, receivedAt: T0 + 4, id: `f-${propertyId}` }),
      );
    }
    const before = await store().watermark(LOCAL_SOURCE);
    expect([await store().eventCount(gone), await store().eventCount(kept)]).toEqual([6, 6]);
    expect(await store().eventCount('unknown')).toBe(0);

    const erased = await store().forget([
      { propertyId: gone, sessionId: 's' },
      { propertyId: gone, everything: true },
      { propertyId: gone, visitorId: 'ann' },
      { propertyId: 'unknown', everything: true },
    ]);
    expect(erased).toEqual([{ rows: 3 }, { rows: 3 }, { rows: 0 }, { rows: 0 }]);
    expect([await store().eventCount(gone), await store().eventCount(kept)]).toEqual([0, 6]);
    expect(await store().sessionIdentity(gone, 's')).toBeUndefined();
    expect((await store().feedbackPage({ propertyId: gone, limit: 9 })).rows).toEqual([]);
    expect((await store().checksums()).filter(({ propertyId }) => propertyId === gone)).toEqual([]);
    const { rows } = await store().sessionPage({ propertyId: kept, limit: 9 });
    expect(rows.map(({ sessionId, country }) => [sessionId, country])).toEqual(
      expect.arrayContaining([
        ['never-collected', null],
        ['s', 'SE'],
      ]),
    );
    // Positions stay: what was stored before does not come back.
    expect(await store().watermark(LOCAL_SOURCE)).toBe(before);
    expect(await store().forget([{ propertyId: gone, everything: true }])).toEqual([{ rows: 0 }]);
  });

  test('removing what expired events have left changes no answer', async () => {
    const propertyId = nextProperty();
    await add(
      collect({ propertyId, receivedAt: T0, sessionId: 'old', visitorId: 'ann' }),
      exposures(propertyId, T0 + 30, [exposure('young', T0 + 30)]),
      goal({ propertyId, receivedAt: T0 + 30, sessionId: 'young' }),
    );
    expect(await store().expire(propertyId, T0 + 20)).toEqual({ rows: 1 });
    const answers = async () => [
      // In any order.
      (await store().checksums()).map((it) => JSON.stringify(it)).sort(),
      await store().sessionPage({ propertyId, limit: 9 }),
      await store().positions(),
    ];
    const before = await answers();
    expect(await store().removeRemains(Date.now())).toBe(false);
    await store().removeRemains(Date.now() + DAY_MS);
    expect(await answers()).toEqual(before);
    expect(await store().removeRemains(Date.now() + DAY_MS)).toBe(false);
  });

  test('a property that is created again starts empty', async () => {
    const propertyId = nextProperty();
    const goalId = `goal-of-${propertyId}`;
    const totals = () => store().goalTotals({ propertyId, goalId, from: 0, to: T0 * 2 });
    await add(goal({ propertyId, receivedAt: T0, goalId }), goal({ propertyId, receivedAt: T0, goalId }));
    await store().forget([{ propertyId, everything: true }]);
    expect(await totals()).toMatchObject({ increments: 0 });
    await add(goal({ propertyId, receivedAt: T0 + 9, goalId, sessionId: 'new' }));
    expect(await totals()).toMatchObject({ increments: 1 });
    expect(await store().eventCount(propertyId)).toBe(1);
  });
}
