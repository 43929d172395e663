import { DAY_MS } from '@switchyard/core/time';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AcceptedRequest, CollectedEvent, JournalEntry } from '../../accepted-request.ts';
import { type EventStore, LOCAL_SOURCE } from '../../event-store.ts';
import type { TrafficFilters } from '../../traffic-queries.ts';
import { NaiveEventStore } from '../naive-event-store.contract.ts';
import { randomScenario, T0 } from '../random-requests.contract.ts';
import { collect, exposure, exposures, goal } from '../sample-requests.contract.ts';
import { compareTraffic, listed } from '../traffic/describe-traffic.contract.ts';

interface Suite {
  open: () => Promise<{ store: EventStore; cleanup(): Promise<void> }>;
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  journal: (requests: AcceptedRequest[]) => JournalEntry[];
  nextProperty: () => string;
  randomRuns: number;
}

const SEED = 20_261_118;
const FAR = T0 + 4000 * DAY_MS;

/** Everything but `page`: of the pages that a session viewed, only the first and the last are kept. */
const FILTERS: readonly TrafficFilters[] = [
  {},
  { entryPage: '/pricing' },
  { referrer: 'a.example' },
  { exitPage: '/' },
  { utmSource: null, device: 'desktop' },
];

/** What happened from a time on. */
async function figuresSince(store: EventStore, propertyId: string, from: number, filters: TrafficFilters) {
  const query = { propertyId, from, to: FAR, filters };
  const by = (dimension: 'entryPage' | 'referrer', bot: boolean) =>
    store.trafficBreakdown({ ...query, by: dimension, bot, limit: 50 });
  return {
    counts: listed(await store.trafficCounts({ ...query, starts: [from, from + DAY_MS, from + 9 * DAY_MS] })),
    entries: await by('entryPage', false),
    referrers: await by('referrer', false),
    crawlers: await by('entryPage', true),
    sessions: (await store.sessionPage({ propertyId, from, limit: 50 })).rows.map(
      ({ sessionId, startedAt, visitorId, entryUrl, exitUrl, referrer, bot, pageviews }) => ({
        sessionId,
        startedAt,
        visitorId,
        entryUrl,
        exitUrl,
        referrer,
        bot,
        pageviews,
      }),
    ),
  };
}

/** The contract of what expired events leave behind. */
export function describeRetention({ open, store, add, journal, nextProperty, randomRuns }: Suite): void {
  const view = (at: number, url: string, referrer = ''): CollectedEvent => ({
    type: 'pageview',
    at: T0 + at,
    url,
    referrer,
  });
  /** A crawler that is known by its exposure, on two days, and its refund on the third. */
  const history = (propertyId: string): AcceptedRequest[] => [
    collect({ propertyId, receivedAt: T0 + 9 }, [
      view(1, '/first?utm_source=news', 'https://news.example/'),
      view(5, '/second'),
    ]),
    exposures(propertyId, T0 + 9, [{ ...exposure('s', T0 + 2), bot: true }]),
    collect({ propertyId, receivedAt: T0 + DAY_MS }, [view(DAY_MS, '/third')]),
    goal({ propertyId, sessionId: 's', receivedAt: T0 + 2 * DAY_MS, direction: -1, amountMicros: -5 }),
  ];
  const seen = async (it: EventStore, propertyId: string) => {
    const session = await it.session({ propertyId, sessionId: 's', limit: 9 });
    return (
      session && [session.startedAt - T0, session.entryUrl, session.exitUrl, session.referrer, session.bot]
    );
  };
  const ENTRY = [1, '/first?utm_source=news'];
  const KEPT = [...ENTRY, '/third', 'https://news.example/', true];

  test('a session keeps its start, its entry and whether it is a crawler until its last event has expired', async () => {
    const propertyId = nextProperty();
    await add(...history(propertyId));
    expect(await seen(store(), propertyId)).toEqual(KEPT);
    for (const before of [T0 + 2, T0 + DAY_MS, T0 + DAY_MS + 1, T0 + 2 * DAY_MS]) {
      await store().expire(propertyId, before);
      expect(await seen(store(), propertyId), `before ${before}`).toEqual(KEPT);
    }
    const late = { propertyId, from: T0 + 2 * DAY_MS, to: FAR, starts: [T0 + 2 * DAY_MS] };
    const news = { utmSource: 'news', entryPage: '/first', exitPage: '/third', referrer: 'news.example' };
    expect(await store().trafficCounts({ ...late, filters: news })).toMatchObject([
      { bot: true, sessions: 0, conversions: -1, amountMicros: -5n },
    ]);
    const crawlers = await store().sessionPage({ propertyId, bot: true, limit: 9 });
    expect(crawlers.rows.map(({ sessionId }) => sessionId)).toEqual(['s']);
    expect((await store().sessionPage({ propertyId, bot: false, limit: 9 })).rows).toEqual([]);
    await store().expire(propertyId, T0 + 2 * DAY_MS + 1);
    expect(await seen(store(), propertyId)).toBeUndefined();
    await add(goal({ propertyId, sessionId: 's', receivedAt: T0 + 3 * DAY_MS }));
    expect(await seen(store(), propertyId)).toEqual([3 * DAY_MS, null, null, null, false]);
  });

  test('an event that arrives after others have expired can still be the first', async () => {
    const propertyId = nextProperty();
    await add(...history(propertyId));
    await store().expire(propertyId, T0 + DAY_MS);
    await add(
      collect({ propertyId, receivedAt: T0 + 3 * DAY_MS }, [view(0, '/earlier'), view(3, '/between')]),
    );
    const earlier = [0, '/earlier', '/third', null, true];
    expect(await seen(store(), propertyId)).toEqual(earlier);
    await store().expire(propertyId, T0 + 2 * DAY_MS);
    expect(await seen(store(), propertyId)).toEqual(earlier);
  });

  test('what expired events leave behind is forgotten with the session', async () => {
    const propertyId = nextProperty();
    await add(...history(propertyId));
    await store().expire(propertyId, T0 + 2 * DAY_MS);
    await store().forget([{ propertyId, visitorId: 'v' }]);
    expect(await seen(store(), propertyId)).toBeUndefined();
    await add(goal({ propertyId, sessionId: 's', receivedAt: T0 + 3 * DAY_MS }));
    expect(await seen(store(), propertyId)).toEqual([3 * DAY_MS, null, null, null, false]);
  });

  test('exported entries carry what expired events have left behind, once more after another expiry', async () => {
    const [original, copy, second] = [await open(), await open(), await open()];
    try {
      const entries = history('shop').map((request, index) => ({ seq: index + 1, request }));
      await original.store.append('node', entries);
      expect(await original.store.exportEntries('node', 0, 9)).toEqual(entries);
      await original.store.expire('shop', T0 + DAY_MS);
      await copyTo(copy.store, original.store);
      expect(await seen(copy.store, 'shop')).toEqual(KEPT);
      await copy.store.expire('shop', T0 + 2 * DAY_MS);
      await copyTo(second.store, copy.store);
      expect(await seen(second.store, 'shop')).toEqual(KEPT);
      await second.store.expire('shop', FAR);
      expect(await seen(second.store, 'shop')).toBeUndefined();
    } finally {
      for (const it of [original, copy, second]) await it.cleanup();
    }
  });

  test(`figures of the days that are kept do not change when others expire (seed ${SEED})`, async () => {
    let choice = 0;
    const random = fc.asyncProperty(randomScenario, async ({ batches }) => {
      const propertyId = nextProperty();
      const model = new NaiveEventStore();
      for (const batch of batches) {
        const entries = journal(batch.map((request) => ({ ...request, propertyId })));
        await store().append(LOCAL_SOURCE, entries);
        for (const it of entries) model.append(it);
        const now = entries.at(-1)?.request.receivedAt ?? T0;
        const filters = FILTERS[choice++ % FILTERS.length]!;
        for (const cutoff of [now - 3 * DAY_MS, now - 20, now]) {
          const before = await figuresSince(store(), propertyId, cutoff, filters);
          expect(await store().expire(propertyId, cutoff)).toEqual({
            rows: model.expire(propertyId, cutoff),
          });
          expect(await figuresSince(store(), propertyId, cutoff, filters)).toEqual(before);
        }
        await compareTraffic(store(), model, propertyId, choice);
        for (const { sessionId } of model.sessions(propertyId)) {
          const { timeline: _, ...expected } = model.session(propertyId, sessionId)!;
          const found = await store().session({ propertyId, sessionId, limit: 1 });
          const { startedAt, entryUrl, exitUrl, referrer, bot } = expected;
          expect(found).toMatchObject({ startedAt, entryUrl, exitUrl, referrer, bot });
        }
      }
    });
    await fc.assert(random, { seed: SEED, numRuns: randomRuns, endOnFailure: true });
  });
}

async function copyTo(target: EventStore, source: EventStore): Promise<void> {
  for (let after = 0; ; ) {
    const entries = await source.exportEntries('node', after, 2);
    await target.append('node', entries);
    after = entries.at(-1)?.seq ?? after;
    if (entries.length < 2) return;
  }
}
