import { expect, test } from 'vitest';
import type { AcceptedRequest } from '../../accepted-request.ts';
import type { EventStore, Positions } from '../../event-store.ts';
import { PAGE_BYTES } from '../../page.ts';
import { T0 } from '../random-requests.contract.ts';
import { collect, entry } from '../sample-requests.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

/** The contract for reading feedback in order of arrival. */
export function describeNewFeedback({ store, add, nextProperty }: Suite): void {
  const read = async (propertyId: string, after: Positions, rest: { from?: number; limit?: number } = {}) => {
    const { entries, next } = await store().newFeedback({ propertyId, after, limit: 9, ...rest });
    return { ids: entries.map(({ id }) => id), entries, next };
  };

  test('new feedback comes in order of arrival, not of time, and with the visitor', async () => {
    const [p, other] = [nextProperty(), nextProperty()];
    const before = await store().positions();
    await add(
      entry({ propertyId: p, id: 'first', receivedAt: T0 + 50, sessionId: 's' }),
      entry({ propertyId: other, id: 'elsewhere', receivedAt: T0 }),
      entry({ propertyId: p, id: 'late', receivedAt: T0 + 10 }),
      collect({ propertyId: p, sessionId: 's', visitorId: 'ann', receivedAt: T0 + 60 }),
    );
    const found = await read(p, before);
    expect(found.entries.map(({ id, visitorId }) => [id, visitorId])).toEqual([
      ['first', 'ann'],
      ['late', null],
    ]);
    expect(found.next).toEqual(await store().positions());
    expect((await read(p, before, { from: T0 + 20 })).ids).toEqual(['first']);
    const first = await read(p, before, { limit: 1 });
    const second = await read(p, first.next, { limit: 1 });
    expect([first.ids, second.ids]).toEqual([['first'], ['late']]);
    expect((await read(p, second.next)).ids).toEqual([]);
    await add(entry({ propertyId: p, id: 'next', receivedAt: T0 }));
    expect((await read(p, found.next)).ids).toEqual(['next']);
    expect((await read(nextProperty(), {})).ids).toEqual([]);
  });

  test('a list of new feedback ends at its size in bytes', async () => {
    const p = nextProperty();
    const message = 'm'.repeat(PAGE_BYTES / 4);
    await add(
      ...[1, 2, 3, 4, 5, 6].map((n) => entry({ propertyId: p, id: `f${n}`, message, receivedAt: T0 })),
    );
    const { ids, next } = await read(p, {});
    expect(ids).toEqual(['f1', 'f2', 'f3', 'f4']);
    expect((await read(p, next)).ids).toEqual(['f5', 'f6']);
  });
}
