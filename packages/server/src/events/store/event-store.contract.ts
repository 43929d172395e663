import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AcceptedRequest, JournalEntry } from './accepted-request.ts';
import { describeDeletedProperties } from './contract/deletion/describe-deleted-properties.contract.ts';
import { compareSubject, describeErasure } from './contract/deletion/describe-erasure.contract.ts';
import { describeRetention } from './contract/deletion/describe-retention.contract.ts';
import { describeSources } from './contract/describe-sources.contract.ts';
import { expectToAgree } from './contract/expect-to-agree.contract.ts';
import { describeGoals } from './contract/goals/describe-goals.contract.ts';
import { describeLists } from './contract/lists/describe-lists.contract.ts';
import { describeNewFeedback } from './contract/lists/describe-new-feedback.contract.ts';
import { describeMetricVisitors } from './contract/metrics/describe-metric-visitors.contract.ts';
import { describeMetrics } from './contract/metrics/describe-metrics.contract.ts';
import { NaiveEventStore } from './contract/naive-event-store.contract.ts';
import { randomScenario, T0 } from './contract/random-requests.contract.ts';
import { collect, entry, exposure, exposures, goal } from './contract/sample-requests.contract.ts';
import { describeSessionContexts } from './contract/sessions/describe-session-contexts.contract.ts';
import { describeUnitSessions } from './contract/sessions/describe-unit-sessions.contract.ts';
import { describeAssignments } from './contract/split-tests/describe-assignments.contract.ts';
import { describeCovariates } from './contract/split-tests/describe-covariates.contract.ts';
import { describeFeedbackGoals } from './contract/split-tests/describe-feedback-goals.contract.ts';
import { describePhases } from './contract/split-tests/describe-phases.contract.ts';
import { describeRepeatedResults } from './contract/split-tests/describe-repeated-results.contract.ts';
import { describeSharedVisitors } from './contract/split-tests/describe-shared-visitors.contract.ts';
import { describeSplitTests } from './contract/split-tests/describe-split-tests.contract.ts';
import { counts, seenOf } from './contract/split-tests/seen-of.contract.ts';
import { describeTraffic } from './contract/traffic/describe-traffic.contract.ts';
import type { Subject } from './erasure-subject.ts';
import {
  type EventStore,
  type FeedbackPageQuery,
  LOCAL_SOURCE,
  type SessionPageQuery,
} from './event-store.ts';

/** A store under test; `reopen` closes it and opens the same data again. */
export interface OpenedStore {
  store: EventStore;
  reopen(): Promise<EventStore>;
  cleanup(): Promise<void>;
}

const SEED = 20_251_115;

export interface ContractOptions {
  /** Number of random histories that are compared with the naive model. */
  randomRuns?: number;
  /** Later answers start from earlier ones; otherwise every answer is counted like the first. */
  keepsAnswers?: boolean;
}

/** The contract of every engine. */
export function describeEventStore(
  name: string,
  open: () => Promise<OpenedStore>,
  { randomRuns = 2, keepsAnswers = true }: ContractOptions = {},
): void {
  describe(name, () => {
    let opened: OpenedStore;
    let store: EventStore;
    let seq = 0;
    let properties = 0;
    const nextProperty = () => `property-${++properties}`;
    const journal = (requests: AcceptedRequest[]): JournalEntry[] =>
      requests.map((request) => ({ seq: ++seq, request }));
    const add = (...requests: AcceptedRequest[]) => store.append(LOCAL_SOURCE, journal(requests));
    const sessionsOf = async (query: SessionPageQuery) => (await store.sessionPage(query)).rows;
    const sessionOf = (propertyId: string, sessionId: string) =>
      store.session({ propertyId, sessionId, limit: 1000 });
    const feedbackOf = async (query: FeedbackPageQuery) => (await store.feedbackPage(query)).rows;

    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.cleanup());

    test('stores each entry exactly once, even if it is appended again', async () => {
      const fresh = await open();
      try {
        expect(await fresh.store.watermark(LOCAL_SOURCE)).toBe(0);
        await fresh.store.append(LOCAL_SOURCE, []);
        const p = 'shop';
        const entries = [1, 2, 5, 6].map((at) => ({
          seq: at,
          request: goal({ propertyId: p, receivedAt: T0 + at }),
        }));
        const count = async (it: EventStore) =>
          (await it.goalTotals({ propertyId: p, goalId: 'signup', from: 0, to: T0 * 2 })).increments;
        await fresh.store.append(LOCAL_SOURCE, entries.slice(0, 2));
        expect([await fresh.store.watermark(LOCAL_SOURCE), await count(fresh.store)]).toEqual([2, 2]);
        await fresh.store.append(LOCAL_SOURCE, entries);
        await fresh.store.append(LOCAL_SOURCE, entries);
        await fresh.store.append(LOCAL_SOURCE, entries.slice(1, 2));
        expect([await fresh.store.watermark(LOCAL_SOURCE), await count(fresh.store)]).toEqual([6, 4]);
        const again = await fresh.reopen();
        await again.append(LOCAL_SOURCE, entries);
        expect([await again.watermark(LOCAL_SOURCE), await count(again)]).toEqual([6, 4]);
        await again.ping();
      } finally {
        await fresh.cleanup();
      }
    });

    test('returns empty results for unknown properties', async () => {
      const propertyId = 'unknown';
      expect(await sessionsOf({ propertyId, limit: 10 })).toEqual([]);
      expect(await sessionOf(propertyId, 's')).toBeUndefined();
      expect(await store.sessionIdentity(propertyId, 's')).toBeUndefined();
      expect(await feedbackOf({ propertyId, limit: 10 })).toEqual([]);
      expect(await store.feedbackTimes(propertyId, ['f'])).toEqual([]);
      expect(await seenOf(store, propertyId, 't')).toEqual([]);
      const byDay = { interval: 'day', timeZone: 'UTC' } as const;
      expect(await store.goalSeries({ propertyId, goalId: 'g', from: 0, to: T0, ...byDay })).toEqual([]);
      expect(await store.goalTotals({ propertyId, goalId: 'g', from: 0, to: T0 })).toEqual({
        increments: 0,
        decrements: 0,
        incrementedMicros: 0n,
        decrementedMicros: 0n,
      });
      expect(await store.forget([{ propertyId, visitorId: 'v' }])).toEqual([{ rows: 0 }]);
      expect(await store.expire(propertyId, T0)).toEqual({ rows: 0 });
    });

    test('returns a session with all its details', async () => {
      const propertyId = nextProperty();
      const own = { propertyId, sessionId: 's' };
      const page = (at: number, url: string, referrer = '') =>
        ({ type: 'pageview', at: T0 + at, url, referrer }) as const;
      await add(
        exposures(propertyId, T0 + 50, [
          { ...exposure('s', T0 + 20), attributes: '{"a":1}' },
          exposure('s', T0 + 40),
        ]),
        collect({ ...own, receivedAt: T0 + 60, attributes: '{"plan":"pro"}', userId: 'u', country: 'DE' }, [
          page(30, '/second', 'https://news.example'),
          page(10, '/first'),
          { type: 'event', at: T0 + 35, name: 'click', properties: '{"x":2}' },
          { type: 'identify', at: T0 + 36 },
        ]),
        goal({ ...own, receivedAt: T0 + 70, amountMicros: 3_000_000, metadata: '{"order":"7"}' }),
        goal({ ...own, receivedAt: T0 + 80, amountMicros: -1_000_000, direction: -1 }),
        entry({ ...own, receivedAt: T0 + 90, id: 'f', option: 'good' }),
        collect({ ...own, receivedAt: T0 + 100, visitorId: 'v2', device: 'mobile' }, [page(95, '/last')]),
      );
      expect(await sessionOf(propertyId, 's')).toEqual({
        sessionId: 's',
        visitorId: 'v2',
        userId: 'u',
        startedAt: T0 + 10,
        lastSeenAt: T0 + 95,
        entryUrl: '/first',
        exitUrl: '/last',
        referrer: null,
        pageviews: 3,
        events: 1,
        country: null,
        device: 'mobile',
        browser: 'Firefox',
        os: 'Linux',
        bot: false,
        exposures: [{ splitTestKey: 'hero', variationKey: 'a', at: T0 + 20 }],
        goals: [{ goalId: 'signup', count: 0, amountMicros: 2_000_000 }],
        feedback: 1,
        attributes: '{"plan":"pro"}',
        timeline: {
          next: undefined,
          rows: [
            page(10, '/first'),
            { at: T0 + 20, type: 'exposure', splitTestKey: 'hero', variationKey: 'a', attributes: '{"a":1}' },
            page(30, '/second', 'https://news.example'),
            { at: T0 + 35, type: 'event', name: 'click', properties: '{"x":2}' },
            { at: T0 + 36, type: 'identify' },
            { at: T0 + 40, type: 'exposure', splitTestKey: 'hero', variationKey: 'a' },
            {
              at: T0 + 70,
              type: 'goal',
              goalId: 'signup',
              count: 1,
              amountMicros: 3_000_000,
              metadata: '{"order":"7"}',
            },
            { at: T0 + 80, type: 'goal', goalId: 'signup', count: -1, amountMicros: -1_000_000 },
            { at: T0 + 90, type: 'feedback', id: 'f', feedbackTypeId: 'nps', option: 'good' },
            page(95, '/last'),
          ],
        },
      });
    });

    test('lists sessions without a collect and sessions with only a heartbeat', async () => {
      const propertyId = nextProperty();
      await add(
        goal({ propertyId, sessionId: 'goal only', receivedAt: T0 }),
        goal({ propertyId, sessionId: 'goal only', receivedAt: T0 + 9 }),
        collect({ propertyId, sessionId: 'bare', receivedAt: T0 + 5 }),
        goal({ propertyId, sessionId: 'bare', receivedAt: T0 + 7 }),
      );
      const page = await sessionsOf({ propertyId, limit: 10 });
      expect(page.map((it) => [it.sessionId, it.visitorId, it.startedAt - T0, it.lastSeenAt - T0])).toEqual([
        ['bare', 'v', 5, 5],
        ['goal only', null, 0, 9],
      ]);
      expect(await store.sessionIdentity(propertyId, 'goal only')).toEqual({ visitorId: null, userId: null });
      expect((await sessionOf(propertyId, 'bare'))?.timeline.rows.map((it) => it.type)).toEqual(['goal']);
    });

    test('attributes earlier events to the latest visitor of their session', async () => {
      const propertyId = nextProperty();
      const own = { propertyId, sessionId: 's' };
      await add(exposures(propertyId, T0, [exposure('s', T0), exposure('other', T0)]));
      expect(await seenOf(store, propertyId, 'hero')).toEqual([counts('a', 2, 2)]);
      await add(
        collect({ ...own, receivedAt: T0 + 1, userId: 'u1' }),
        collect({ propertyId, sessionId: 'other', receivedAt: T0 + 2 }),
      );
      expect(await seenOf(store, propertyId, 'hero')).toEqual([counts('a', 2, 1)]);
      await add(collect({ ...own, receivedAt: T0 + 3, visitorId: 'w' }));
      expect(await seenOf(store, propertyId, 'hero')).toEqual([counts('a', 2, 2)]);
      expect(await store.sessionIdentity(propertyId, 's')).toEqual({ visitorId: 'w', userId: 'u1' });
      const of = async (filter: Partial<SessionPageQuery>) =>
        (await sessionsOf({ propertyId, limit: 9, ...filter })).map((it) => it.sessionId);
      expect(await of({ visitorId: 'v' })).toEqual(['other']);
      expect(await of({ visitorId: 'w', userId: 'u1' })).toEqual(['s']);
      await add(goal({ ...own, receivedAt: T0 + 4 }), entry({ ...own, receivedAt: T0 + 5 }));
      for (const [visitorId, found] of [
        ['v', 0],
        ['w', 1],
      ] as const) {
        const query = { propertyId, visitorId, limit: 9 };
        expect((await store.conversionPage(query)).rows).toHaveLength(found);
        expect((await store.feedbackPage(query)).rows).toHaveLength(found);
      }
    });

    test('moves the start of a session back when an older event arrives, even after a restart', async () => {
      const propertyId = nextProperty();
      const starts = async () =>
        (await sessionsOf({ propertyId, limit: 9 })).map((it) => [it.sessionId, it.startedAt - T0]);
      const see = (...list: [string, number][]) =>
        add(
          exposures(
            propertyId,
            T0 + 500,
            list.map(([id, at]) => exposure(id, T0 + at)),
          ),
        );
      await see(['a', 100], ['b', 200], ['c', 300]);
      await see(['b', 90], ['c', 310]);
      expect(await starts()).toEqual([
        ['c', 300],
        ['a', 100],
        ['b', 90],
      ]);
      store = await opened.reopen();
      await see(['c', 80], ['a', 110], ['d', 120]);
      expect(await starts()).toEqual([
        ['d', 120],
        ['a', 100],
        ['b', 90],
        ['c', 80],
      ]);
      await Promise.all([see(['d', 70]), see(['d', 60]), see(['a', 95])]);
      expect(await starts()).toEqual([
        ['a', 95],
        ['b', 90],
        ['c', 80],
        ['d', 60],
      ]);
    });

    test('keeps properties separate', async () => {
      const [one, two] = [nextProperty(), nextProperty()];
      const collected = (propertyId: string, visitorId: string, at: number) =>
        collect({ propertyId, sessionId: 'same', visitorId, receivedAt: at }, [{ type: 'pageview', at }]);
      await add(
        collected(one, 'v1', T0),
        collected(two, 'v2', T0 + 1),
        exposures(one, T0 + 2, [exposure('same', T0 + 2)]),
        goal({ propertyId: two, sessionId: 'same', receivedAt: T0 + 3 }),
        entry({ propertyId: one, sessionId: 'same', receivedAt: T0 + 4 }),
      );
      for (const [propertyId, visitorId, at] of [
        [one, 'v1', T0],
        [two, 'v2', T0 + 1],
      ] as const) {
        expect(await store.sessionIdentity(propertyId, 'same')).toEqual({ visitorId, userId: null });
        const [listed, ...rest] = await sessionsOf({ propertyId, limit: 9 });
        expect([listed?.visitorId, listed?.startedAt, listed?.pageviews, rest.length]).toEqual([
          visitorId,
          at,
          1,
          0,
        ]);
      }
      expect((await sessionOf(one, 'same'))?.goals).toEqual([]);
      expect((await sessionOf(two, 'same'))?.feedback).toBe(0);
      expect(await seenOf(store, two, 'hero')).toEqual([]);
      await store.forget([{ propertyId: one, sessionId: 'same' }]);
      expect(await sessionOf(one, 'same')).toBeUndefined();
      expect((await sessionOf(two, 'same'))?.pageviews).toBe(1);
    });

    test('accepts any text', async () => {
      const propertyId = nextProperty();
      const texts = [
        'a\0b',
        '\0',
        '',
        '😀',
        `'"\\;--%_$1`,
        'é\u202e\n\t',
        'x'.repeat(5000),
        '\u{10ffff}',
        'lone \ud800.',
      ];
      for (const [index, text] of texts.entries()) {
        const at = T0 + index;
        await add(
          collect({ propertyId, sessionId: text, visitorId: text, userId: text, receivedAt: at }, [
            { type: 'pageview', at, url: text, title: text },
          ]),
          entry({
            propertyId,
            sessionId: text,
            receivedAt: at,
            id: `f${index}`,
            option: text,
            message: text,
          }),
        );
      }
      // UTF-8 has no lone surrogates: they are stored as U+FFFD and still find the same session.
      const stored = texts.map((text) => Buffer.from(text).toString());
      const page = await sessionsOf({ propertyId, limit: 50 });
      expect(page.map((it) => it.sessionId)).toEqual([...stored].reverse());
      for (const [index, text] of texts.entries()) {
        const expected = stored[index];
        expect(await sessionOf(propertyId, text)).toMatchObject({
          entryUrl: expected || null,
          visitorId: expected,
        });
        expect(await store.sessionIdentity(propertyId, text)).toEqual({
          visitorId: expected,
          userId: expected,
        });
        const found = await feedbackOf({ propertyId, sessionId: text, option: text, limit: 9 });
        expect(found.map((it) => [it.id, it.message])).toEqual([[`f${index}`, expected]]);
        expect(await sessionsOf({ propertyId, visitorId: text, userId: text, limit: 9 })).toHaveLength(1);
      }
    });

    test('expires old events', async () => {
      const propertyId = nextProperty();
      const other = nextProperty();
      const page = (at: number) => ({ type: 'pageview', at: T0 + at }) as const;
      await add(
        collect({ propertyId, sessionId: 'old', receivedAt: T0 }),
        collect({ propertyId, sessionId: 'long', receivedAt: T0, visitorId: 'w' }, [page(0), page(10)]),
        exposures(propertyId, T0 + 30, [exposure('long', T0 + 30)]),
        goal({ propertyId, receivedAt: T0 + 1 }),
        entry({ propertyId, receivedAt: T0 + 2 }),
        goal({ propertyId: other, receivedAt: T0 + 1 }),
      );
      expect(await store.expire(propertyId, T0 + 20)).toEqual({ rows: 5 });
      const listed = await sessionsOf({ propertyId, limit: 9 });
      expect(listed.map((it) => [it.sessionId, it.startedAt, it.pageviews, it.visitorId])).toEqual([
        ['long', T0, 0, 'w'],
      ]);
      expect(await store.sessionIdentity(propertyId, 'old')).toBeUndefined();
      expect(await feedbackOf({ propertyId, limit: 9 })).toEqual([]);
      expect(await store.feedbackTimes(propertyId, ['f'])).toEqual([]);
      expect(
        await store.goalTotals({ propertyId: other, goalId: 'signup', from: 0, to: T0 * 2 }),
      ).toMatchObject({ increments: 1 });
      await add(exposures(propertyId, T0 + 40, [exposure('long', T0 + 25), exposure('old', T0 + 40)]));
      expect((await sessionsOf({ propertyId, limit: 9 })).map((it) => it.startedAt - T0)).toEqual([40, 0]);
      expect(await store.expire(propertyId, T0 + 20)).toEqual({ rows: 0 });
    });

    describeSplitTests({ store: () => store, add, nextProperty });
    describeSharedVisitors({ store: () => store, add, nextProperty });
    describePhases({ store: () => store, add, nextProperty });
    describeUnitSessions({ open, store: () => store, add, nextProperty });
    describeCovariates({ store: () => store, add, journal, nextProperty, randomRuns });
    describeFeedbackGoals({ store: () => store, add, nextProperty });
    describeMetrics({ store: () => store, add, nextProperty });
    describeMetricVisitors({ store: () => store, add, nextProperty });
    describeAssignments({ store: () => store, add, nextProperty });
    describeSessionContexts({ store: () => store, add, nextProperty });
    describeNewFeedback({ store: () => store, add, nextProperty });
    describeGoals({ store: () => store, add, nextProperty });
    describeLists({ store: () => store, add, nextProperty });
    describeErasure({ store: () => store, add, nextProperty });
    describeDeletedProperties({ store: () => store, add, nextProperty });
    describeTraffic({ store: () => store, add, journal, nextProperty, randomRuns });
    describeRetention({ open, store: () => store, add, journal, nextProperty, randomRuns });

    test(`agrees with a naive model on random data (seed ${SEED})`, async () => {
      let run = 0;
      const random = fc.asyncProperty(
        randomScenario,
        async ({ batches, subjectsToForget, expiry, limit }) => {
          const [one, two] = [nextProperty(), nextProperty()];
          const model = new NaiveEventStore();
          const compare = () => expectToAgree(store, model, [one, two], limit);
          for (const batch of batches) {
            const entries = journal(
              batch.map((request) => ({ ...request, propertyId: request.propertyId === 'one' ? one : two })),
            );
            await store.append(LOCAL_SOURCE, entries);
            for (const it of entries) model.append(it);
          }
          await compare();
          const subjects = subjectsToForget.map(
            (it) => ({ ...it.subject, propertyId: it.propertyId === 'one' ? one : two }) as Subject,
          );
          for (const it of subjects) if (!('everything' in it)) await compareSubject(store, model, it);
          expect(await store.forget(subjects)).toEqual(subjects.map((it) => ({ rows: model.forget(it) })));
          expect(await store.expire(one, expiry)).toEqual({ rows: model.expire(one, expiry) });
          // Alternately in the open store and in a reopened one: comparing takes most of the time.
          if (run++ % 2 === 0) store = await opened.reopen();
          await compare();
        },
      );
      await fc.assert(random, { seed: SEED, numRuns: randomRuns, endOnFailure: true });
    });

    if (keepsAnswers) describeRepeatedResults({ open, randomRuns });

    // Last, so that the others see a store with one source.
    describeSources({ open, store: () => store, nextProperty, randomRuns });
  });
}
