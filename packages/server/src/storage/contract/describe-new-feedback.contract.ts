import { expect, test } from 'vitest';
import type { AcceptedRequest } from '../accepted-request.ts';
import { type EventStore, PAGE_BYTES } from '../event-store.ts';
import { T0 } from './random-requests.contract.ts';
import { collect, entry } from './sample-requests.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

/** The contract for reading feedback in order of arrival. */
export function describeNewFeedback({ store, add, nextProperty }: Suite): void {
  const idsAfter = async (propertyId: string, after: number, from?: number) =>
    (await store().newFeedback({ propertyId, after, limit: 9, ...(from !== undefined && { from }) })).map(
      ({ id }) => id,
    );

  test('new feedback comes in order of arrival, not of time, and with the visitor', async () => {
    const [p, other] = [nextProperty(), nextProperty()];
    const before = await store().watermark();
    await add(
      entry({ propertyId: p, id: 'first', receivedAt: T0 + 50, sessionId: 's' }),
      entry({ propertyId: other, id: 'elsewhere', receivedAt: T0 }),
      entry({ propertyId: p, id: 'late', receivedAt: T0 + 10 }),
      collect({ propertyId: p, sessionId: 's', visitorId: 'ann', receivedAt: T0 + 60 }),
    );
    const found = await store().newFeedback({ propertyId: p, after: before, limit: 9 });
    expect(found.map(({ id, visitorId }) => [id, visitorId])).toEqual([
      ['first', 'ann'],
      ['late', null],
    ]);
    expect(await idsAfter(p, before, T0 + 20)).toEqual(['first']);
    expect(await idsAfter(p, found[0]!.position)).toEqual(['late']);
    expect(await idsAfter(p, found[1]!.position)).toEqual([]);
    expect(await idsAfter(p, await store().watermark())).toEqual([]);
    await add(entry({ propertyId: p, id: 'next', receivedAt: T0 }));
    expect(await idsAfter(p, found[1]!.position)).toEqual(['next']);
    expect(await idsAfter(nextProperty(), 0)).toEqual([]);
  });

  test('a list of new feedback ends at its size in bytes', async () => {
    const p = nextProperty();
    const message = 'm'.repeat(PAGE_BYTES / 4);
    await add(
      ...[1, 2, 3, 4, 5, 6].map((n) => entry({ propertyId: p, id: `f${n}`, message, receivedAt: T0 })),
    );
    expect(await idsAfter(p, 0)).toEqual(['f1', 'f2', 'f3', 'f4']);
  });
}
