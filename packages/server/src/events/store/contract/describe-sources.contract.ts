import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AcceptedRequest, JournalEntry } from '../accepted-request.ts';
import type { EventStore } from '../event-store.ts';
import type { TimelineCursor } from '../page.ts';
import { expectToAgree } from './expect-to-agree.contract.ts';
import { pagesOf } from './lists/pages-of.contract.ts';
import { NaiveEventStore } from './naive-event-store.contract.ts';
import { randomScenario, T0 } from './random-requests.contract.ts';
import { collect, entry, exposure, exposures, goal } from './sample-requests.contract.ts';

interface Suite {
  open: () => Promise<{ store: EventStore; cleanup(): Promise<void> }>;
  store: () => EventStore;
  nextProperty: () => string;
  randomRuns: number;
}

const SEED = 20_261_116;

/** Two ids of conversions, as the intake derives them. */
const [FIRST_ID, SECOND_ID] = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210'];

/** The contract for events from several journals. */
export function describeSources({ open, store, nextProperty, randomRuns }: Suite): void {
  let sources = 0;
  /** Two sources in the order of their names, which is not the order in which they are first used. */
  const twoSources = (): [string, string] => [`a-${++sources}`, `b-${sources}`];
  const at = (seq: number, request: AcceptedRequest): JournalEntry => ({ seq, request });
  const increments = async (propertyId: string) =>
    (await store().goalTotals({ propertyId, goalId: 'signup', from: 0, to: T0 * 2 })).increments;

  test('each source has its own watermark, whatever is repeated or comes out of order', async () => {
    const propertyId = nextProperty();
    const [a, b] = twoSources();
    const entries = [1, 2, 3, 4].map((seq) => at(seq, goal({ propertyId, receivedAt: T0 + seq })));
    await store().append(b, entries.slice(0, 2));
    await store().append(a, entries.slice(0, 3));
    await store().append(b, entries.slice(0, 2));
    await store().append(b, entries);
    await store().append(a, entries.slice(0, 1));
    expect([await store().watermark(a), await store().watermark(b)]).toEqual([3, 4]);
    expect(await store().positions()).toMatchObject({ [a]: 3, [b]: 4 });
    expect(await store().watermark('never used')).toBe(0);
    expect(await increments(propertyId)).toBe(7);
  });

  test('the same conversion or feedback from two sources counts once', async () => {
    const propertyId = nextProperty();
    const [a, b] = twoSources();
    const own = { propertyId, sessionId: 's' };
    const once = at(1, goal({ ...own, receivedAt: T0 + 1, eventId: FIRST_ID }));
    const answer = at(2, entry({ ...own, id: 'same', receivedAt: T0 + 2, option: 'good' }));
    const other = at(3, goal({ ...own, receivedAt: T0 + 3, eventId: SECOND_ID }));
    await store().append(b, [once, answer]);
    await store().append(a, [once, answer, other, at(4, goal({ ...own, receivedAt: T0 + 4 }))]);
    await store().append(b, [
      once,
      answer,
      at(3, { ...other.request, receivedAt: T0 + 9 }),
      at(4, goal({ ...own, receivedAt: T0 + 5 })),
    ]);
    expect(await increments(propertyId)).toBe(4);
    expect(await store().feedbackCount({ propertyId })).toBe(1);
    expect((await store().conversionPage({ propertyId, limit: 9 })).rows).toHaveLength(4);
    const session = await store().session({ ...own, limit: 9 });
    expect([session?.goals[0]?.count, session?.feedback, session?.timeline.rows.length]).toEqual([4, 1, 5]);
    expect(await store().receivedTimes(propertyId)).toMatchObject({ goal: { first: T0 + 1, last: T0 + 5 } });
    expect(await store().watermark(b)).toBe(4);
  });

  test('an event counts once in each property, although positions and sessions are the same', async () => {
    const [first, a, b] = [...twoSources(), ...twoSources()];
    const properties = [nextProperty(), nextProperty()];
    // An id is only used in one property, because it is derived from it.
    const [one, two] = properties.map((propertyId, index) =>
      goal({ propertyId, sessionId: 's', receivedAt: T0, eventId: `${index}`.padStart(32, '7') }),
    );
    await store().append(first!, [at(1, one!), at(2, two!)]);
    await store().append(a!, [at(2, { ...one!, receivedAt: T0 + 1 })]);
    await store().append(b!, [at(2, { ...two!, receivedAt: T0 + 1 })]);
    expect(await Promise.all(properties.map(increments))).toEqual([1, 1]);
  });

  test('the latest collect is by time of receipt, then source, then position', async () => {
    const propertyId = nextProperty();
    const [a, b] = twoSources();
    const visit = (seq: number, sessionId: string, visitorId: string, received: number, userId?: string) =>
      at(
        seq,
        collect({ propertyId, sessionId, visitorId, receivedAt: T0 + received, ...(userId && { userId }) }),
      );
    await store().append(b, [
      visit(1, 'late', 'b1', 20),
      visit(2, 'tie', 'b2', 30, 'u2'),
      visit(3, 'back', 'b3', 9),
    ]);
    await store().append(a, [visit(1, 'late', 'a1', 10, 'u1'), visit(2, 'tie', 'a2', 30, 'u1')]);
    await store().append(b, [
      visit(4, 'back', 'b4', 5),
      visit(5, 'same time', 'b5', 7),
      visit(6, 'same time', 'b6', 7),
    ]);
    const identity = (sessionId: string) => store().sessionIdentity(propertyId, sessionId);
    expect(await identity('late')).toEqual({ visitorId: 'b1', userId: 'u1' });
    expect(await identity('tie')).toEqual({ visitorId: 'b2', userId: 'u2' });
    expect(await identity('back')).toEqual({ visitorId: 'b3', userId: null });
    expect(await identity('same time')).toEqual({ visitorId: 'b6', userId: null });
  });

  test('events of the same time are listed by source, then position, also page by page', async () => {
    const propertyId = nextProperty();
    const [a, b] = twoSources();
    const own = { propertyId, sessionId: 's', receivedAt: T0 };
    const click = (name: string) => ({ type: 'event' as const, at: T0, name });
    await store().append(b, [
      at(1, collect(own, [click('b1'), click('b2')])),
      at(2, goal({ ...own, goalId: 'gb' })),
    ]);
    await store().append(a, [at(7, goal({ ...own, goalId: 'ga' })), at(8, collect(own, [click('a1')]))]);
    const timeline = await pagesOf(2, async (after: { after?: TimelineCursor }) => {
      const found = await store().session({ propertyId, sessionId: 's', limit: 2, ...after });
      return found!.timeline;
    });
    const names = timeline.map((it) => (it.type === 'goal' ? it.goalId : 'name' in it && it.name));
    expect(names).toEqual(['ga', 'a1', 'b1', 'b2', 'gb']);
    const listed = await pagesOf(1, (after: { after?: TimelineCursor }) =>
      store().conversionPage({ propertyId, limit: 1, ...after }),
    );
    expect(listed.map(({ source, goalId }) => [source, goalId])).toEqual([
      [b, 'gb'],
      [a, 'ga'],
    ]);
  });

  test('new feedback is read to the end of each source', async () => {
    const propertyId = nextProperty();
    const [a, b] = twoSources();
    const answer = (seq: number, id: string) => at(seq, entry({ propertyId, id, receivedAt: T0 - seq }));
    const before = await store().positions();
    await store().append(b, [answer(5, 'b5'), answer(6, 'b6')]);
    await store().append(a, [answer(8, 'a8')]);
    const read = (after: typeof before) => store().newFeedback({ propertyId, after, limit: 2 });
    const first = await read(before);
    expect(first.entries.map(({ id }) => id)).toEqual(['a8', 'b5']);
    // An entry of the source that was read first arrives before the next page.
    await store().append(a, [answer(9, 'a9')]);
    const second = await read(first.next);
    const third = await read(second.next);
    const rest = [...second.entries, ...third.entries];
    expect(rest.map(({ id }) => id).sort()).toEqual(['a9', 'b6']);
    expect((await read(third.next)).entries).toEqual([]);
  });

  test('names the sessions that were collected after some positions', async () => {
    const propertyId = nextProperty();
    const [a, b] = twoSources();
    const visit = (seq: number, sessionId: string) =>
      at(seq, collect({ propertyId, sessionId, receivedAt: T0 }));
    await store().append(a, [visit(1, 'old'), visit(2, 'new')]);
    const before = { ...(await store().positions()), [a]: 1 };
    await store().append(b, [
      visit(1, 'other'),
      at(2, goal({ propertyId, sessionId: 'goal', receivedAt: T0 })),
    ]);
    const collected = await store().collectedSessions(before, 9);
    expect(collected?.map(({ sessionId }) => sessionId).sort()).toEqual(['new', 'other']);
    expect(collected?.[0]?.propertyId).toBe(propertyId);
    expect(await store().collectedSessions(before, 1)).toBeUndefined();
    expect(await store().collectedSessions(await store().positions(), 1)).toEqual([]);
  });

  test('lists sessions with the start they had at some positions', async () => {
    const propertyId = nextProperty();
    const [a, b] = twoSources();
    const see = (seq: number, id: string, time: number) =>
      at(seq, exposures(propertyId, T0 + 500, [exposure(id, T0 + time)]));
    await store().append(a, [see(1, 's1', 100), see(2, 's2', 200)]);
    const asOf = await store().positions();
    await store().append(b, [see(1, 's2', 50)]);
    const starts = async (query: object) =>
      (await store().sessionPage({ propertyId, limit: 9, ...query })).rows.map(
        ({ startedAt }) => startedAt - T0,
      );
    expect(await starts({})).toEqual([100, 50]);
    expect(await starts({ asOf })).toEqual([200, 100]);
  });

  test('exported entries make an equal store, also after deletions', async () => {
    const [original, copy] = [await open(), await open()];
    try {
      await fill(original.store);
      expect(await original.store.expire('one', T0 + 20)).toEqual({ rows: 3 });
      await original.store.forget([{ propertyId: 'two', visitorId: 'gone' }]);
      for (const source of Object.keys(await original.store.positions())) {
        for (let after = 0; ; ) {
          const entries = await original.store.exportEntries(source, after, 2);
          await copy.store.append(source, entries);
          after = entries.at(-1)?.seq ?? after;
          if (entries.length < 2) break;
        }
      }
      expect(await sorted(copy.store)).toEqual(await sorted(original.store));
      const part = await copy.store.checksums({ first: 2, other: 99 });
      expect(part.map(({ kind, count }) => `${kind} ${count}`).sort()).toEqual([
        'collect 1',
        'session_event 2',
      ]);
      for (const propertyId of ['one', 'two']) {
        const list = (it: EventStore) => it.sessionPage({ propertyId, limit: 50 });
        expect(await list(copy.store)).toEqual(await list(original.store));
        for (const { sessionId } of (await list(copy.store)).rows) {
          const session = (it: EventStore) => it.session({ propertyId, sessionId, limit: 50 });
          expect(await session(copy.store)).toEqual(await session(original.store));
        }
      }
      expect(await original.store.exportEntries('never used', 0, 5)).toEqual([]);
    } finally {
      await original.cleanup();
      await copy.cleanup();
    }
  });

  test(`agrees with a naive model on random data of two sources (seed ${SEED})`, async () => {
    const random = fc.asyncProperty(
      randomScenario,
      fc.infiniteStream(fc.boolean()),
      async (scenario, choices) => {
        const [one, two] = [nextProperty(), nextProperty()];
        const names = twoSources();
        const model = new NaiveEventStore();
        const journals: JournalEntry[][] = [[], []];
        for (const request of scenario.batches.flat()) {
          const journal = journals[choices.next().value ? 1 : 0]!;
          const propertyId = request.propertyId === 'one' ? one : two;
          journal.push({ seq: journal.length + 1, request: { ...request, propertyId } });
        }
        // The second source first, and everything but its first entry again.
        for (const index of [1, 0, 1]) {
          const half = Math.ceil(journals[index]!.length / 2);
          await store().append(names[index]!, journals[index]!.slice(0, half));
          await store().append(names[index]!, journals[index]!.slice(Math.min(1, half)));
        }
        for (const index of [0, 1]) for (const it of journals[index]!) model.append(it, names[index]);
        await expectToAgree(store(), model, [one, two], scenario.limit);
      },
    );
    await fc.assert(random, { seed: SEED, numRuns: Math.ceil(randomRuns / 2), endOnFailure: true });
  });
}

/** All kinds of requests, with and without optional members, from two sources. */
async function fill(store: EventStore): Promise<void> {
  const page = (time: number) => ({
    type: 'pageview' as const,
    at: T0 + time,
    url: '/é\u001f',
    title: '\uFEFFt',
  });
  const requests = (propertyId: string): AcceptedRequest[] => [
    collect(
      { propertyId, receivedAt: T0 + 10, visitorId: 'w', userId: 'u', country: 'DE', attributes: '{"a":1}' },
      [page(5), page(8)],
    ),
    collect({ propertyId, sessionId: 'bare', receivedAt: T0 + 40 }),
    exposures(propertyId, T0 + 50, [
      { ...exposure('s', T0 + 45), attributes: '{"b":"\\u00e9"}', phase: 2, bot: true, clientAt: T0 - 9 },
      exposure('bare', T0 + 46),
    ]),
    collect({ propertyId, sessionId: 'gone', visitorId: 'gone', receivedAt: T0 + 55 }, [page(55)]),
    goal({ propertyId, receivedAt: T0 + 15, amountMicros: 5 }),
    goal({
      propertyId,
      sessionId: 's',
      receivedAt: T0 + 60,
      direction: -1,
      amountMicros: -7,
      metadata: '{}',
    }),
    entry({
      propertyId,
      id: `${propertyId}-1`,
      receivedAt: T0 + 70,
      message: '',
      option: 'x',
      metadata: '{"m":1}',
    }),
    entry({ propertyId, id: `${propertyId}-2`, sessionId: 'bare', receivedAt: T0 + 71 }),
  ];
  const journal = (propertyId: string, offset: number) =>
    requests(propertyId).map((request, index) => ({ seq: offset + 2 * index, request }));
  await store.append('second', journal('one', 3));
  await store.append('first', journal('two', 1));
}

const sorted = async (store: EventStore) =>
  (await store.checksums()).map((it) => JSON.stringify(Object.entries(it).sort())).sort();
