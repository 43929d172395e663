import { DAY_MS } from '@switchyard/core/time';
import { expect } from 'vitest';
import type {
  EventStore,
  FeedbackEntry,
  FeedbackPageQuery,
  GoalBucket,
  Positions,
  SessionDetail,
  SessionPageQuery,
} from '../event-store.ts';
import type { TimelineCursor } from '../page.ts';
import type { SessionSummary } from '../session-summary.ts';
import {
  compareConversions,
  compareFeedbackFilters,
  compareSessionConditions,
} from './lists/compare-lists.contract.ts';
import { pagesOf } from './lists/pages-of.contract.ts';
import { compareMetrics } from './metrics/compare-metrics.contract.ts';
import type { NaiveEventStore, NaiveSession } from './naive-event-store.contract.ts';
import { T0 } from './random-requests.contract.ts';
import { compareSessionContexts } from './sessions/describe-session-contexts.contract.ts';
import { compareSplitTests } from './split-tests/compare-split-tests.contract.ts';
import { assignmentQuery } from './split-tests/describe-assignments.contract.ts';
import { naiveAssignments } from './split-tests/naive-assignment.contract.ts';
import { compareTraffic } from './traffic/describe-traffic.contract.ts';

/** Runs all queries on the store, page by page, and compares the results with the model. */
export async function expectToAgree(
  store: EventStore,
  model: NaiveEventStore,
  propertyIds: readonly string[],
  limit: number,
): Promise<void> {
  for (const propertyId of propertyIds) {
    expect(await store.eventCount(propertyId)).toBe(model.eventCount(propertyId));
    await compareSessions(store, model, propertyId, limit);
    await compareFeedback(store, model, propertyId, limit);
    await compareGoals(store, model, propertyId);
    await compareSplitTests(store, model.facts(propertyId), propertyId);
    await compareMetrics(store, model, propertyId);
    await compareAssignments(store, model, propertyId);
    await compareSessionConditions(store, model, propertyId, limit);
    await compareFeedbackFilters(store, model, propertyId, limit);
    await compareConversions(store, model, propertyId, limit);
    await compareSessionContexts(store, model, propertyId);
    await compareTraffic(store, model, propertyId, limit);
  }
}

async function compareAssignments(
  store: EventStore,
  model: NaiveEventStore,
  propertyId: string,
): Promise<void> {
  // The visitors v1, v2 and v3 are in different groups, and one is in none.
  const holdout = { kind: 'holdout' as const, holdout: { seed: 's64', percentage: 30 }, largest: 60 };
  for (const options of [
    {},
    { from: T0 + 20, to: T0 + 30 * DAY_MS },
    { from: 0, to: T0 + 50 },
    { from: T0 + 10, split: holdout },
  ]) {
    const query = assignmentQuery({ propertyId, ...options });
    const { groups } = await store.assignmentCounts(query);
    const counted = groups.map(({ key, visitors, goals }) => ({
      key,
      visitors,
      goals: Object.fromEntries(
        goals.map(({ goalId, converted, conversions: { sum: n, sumSquares: nSquares }, amount }) => [
          goalId,
          { converted, n, nSquares, micros: Math.round(amount.sum * 1e6) },
        ]),
      ),
    }));
    const none = { converted: 0, n: 0, nSquares: 0, micros: 0 };
    const expected = naiveAssignments(model, query).map(({ goals, ...rest }, index) => {
      const known = Object.keys(counted[index]!.goals).map((goalId) => [goalId, none]);
      return { ...rest, goals: { ...Object.fromEntries(known), ...goals } };
    });
    expect(counted).toEqual(expected);
  }
}

type SessionFilter = Omit<SessionPageQuery, 'propertyId' | 'limit' | 'after'>;

const SESSION_FILTERS: readonly SessionFilter[] = [
  {},
  { from: T0 + 20, to: T0 + 120 },
  { visitorId: 'v1' },
  { userId: 'u1' },
  { splitTestKey: 'hero' },
  { splitTestKey: 'price', variationKey: 'b', goalId: 'signup' },
  { goalId: 'revenue', from: T0 },
];

async function compareSessions(
  store: EventStore,
  model: NaiveEventStore,
  propertyId: string,
  limit: number,
): Promise<void> {
  const all = model.sessions(propertyId);
  for (const filter of SESSION_FILTERS) {
    const listed = await pagesOf(limit, (after) =>
      store.sessionPage({ propertyId, limit, ...filter, ...after }),
    );
    const expected = all.filter((it) => matches(it, filter));
    expect(listed.map(withoutTies)).toEqual(expected.map(withoutTies));
  }
  for (const { sessionId: id } of all) {
    const expected = model.session(propertyId, id) as NaiveSession;
    const { visitorId, userId } = expected;
    expect(withoutTies(await wholeSession(store, propertyId, id, limit))).toEqual(withoutTies(expected));
    expect(await store.sessionIdentity(propertyId, id)).toEqual({ visitorId, userId });
  }
  const sessionIds = [...all.map(({ sessionId }) => sessionId), 'unknown'];
  const known = await store.knownSessions({ propertyId, sessionIds, attributes: [] });
  const byId = new Map(known.map((session) => [session.sessionId, session]));
  for (const { sessionId: id, visitorId, userId, country, device, browser, os } of all) {
    const expected = { sessionId: id, visitorId, userId, country, device, browser, os, attributes: '[]' };
    expect(byId.get(id)).toEqual(visitorId === null ? undefined : expected);
  }
  expect(byId.has('unknown')).toBe(false);
}

/** A session with its timeline assembled from pages. */
async function wholeSession(
  store: EventStore,
  propertyId: string,
  sessionId: string,
  limit: number,
): Promise<NaiveSession> {
  let session: SessionDetail | undefined;
  const timeline = await pagesOf(limit, async (after: { after?: TimelineCursor }) => {
    session = (await store.session({ propertyId, sessionId, limit, ...after })) as SessionDetail;
    return session.timeline;
  });
  return { ...(session as SessionDetail), timeline };
}

function matches(it: SessionSummary, filter: SessionFilter): boolean {
  const {
    from = 0,
    to = Number.POSITIVE_INFINITY,
    visitorId,
    userId,
    splitTestKey,
    variationKey,
    goalId,
  } = filter;
  return (
    it.startedAt >= from &&
    it.startedAt < to &&
    (visitorId === undefined || it.visitorId === visitorId) &&
    (userId === undefined || it.userId === userId) &&
    (splitTestKey === undefined ||
      it.exposures.some(
        (seen) =>
          seen.splitTestKey === splitTestKey &&
          (variationKey === undefined || seen.variationKey === variationKey),
      )) &&
    (goalId === undefined || it.goals.some((reached) => reached.goalId === goalId))
  );
}

async function compareFeedback(
  store: EventStore,
  model: NaiveEventStore,
  propertyId: string,
  limit: number,
): Promise<void> {
  const filters: Partial<FeedbackPageQuery>[] = [
    {},
    { feedbackTypeId: 'nps' },
    { option: 'good', from: T0 + 10, to: T0 + 200 },
    { sessionId: 's1' },
    { ids: [] },
    { ids: ['unknown', 'a,b', ...model.feedback(propertyId).map(({ id }) => id)] },
    { feedbackTypeId: 'nps', ids: model.feedback(propertyId).flatMap(({ id }, i) => (i % 2 ? [] : [id])) },
  ];
  const all = model.feedback(propertyId);
  for (const filter of filters) {
    const { from = 0, to = Number.POSITIVE_INFINITY, feedbackTypeId, option: chosen, sessionId: id } = filter;
    const listed = await pagesOf(limit, (after) =>
      store.feedbackPage({ propertyId, limit, ...filter, ...after }),
    );
    expect(listed).toEqual(
      all.filter(
        (it) =>
          it.createdAt >= from &&
          it.createdAt < to &&
          (feedbackTypeId === undefined || it.feedbackTypeId === feedbackTypeId) &&
          (chosen === undefined || it.option === chosen) &&
          (id === undefined || it.sessionId === id) &&
          (filter.ids === undefined || filter.ids.includes(it.id)),
      ),
    );
  }
  const times = await store.feedbackTimes(propertyId, [...all.map(({ id }) => id), 'unknown', '"']);
  expect(new Map(times.map((it) => [it.id, it.createdAt]))).toEqual(
    new Map(all.map((it) => [it.id, it.createdAt])),
  );
  await compareNewFeedback(store, model, propertyId, limit);
}

async function compareNewFeedback(
  store: EventStore,
  model: NaiveEventStore,
  propertyId: string,
  limit: number,
): Promise<void> {
  const all = model.arrivedFeedback(propertyId).map(({ entry }) => entry);
  for (const from of [0, T0 + 100]) {
    const listed: FeedbackEntry[] = [];
    for (let after: Positions = {}; ; ) {
      const { entries, next } = await store.newFeedback({ propertyId, after, from, limit });
      listed.push(...entries);
      if (entries.length < limit) break;
      after = next;
    }
    expect(listed).toEqual(all.filter(({ createdAt }) => createdAt >= from));
  }
}

async function compareGoals(store: EventStore, model: NaiveEventStore, propertyId: string): Promise<void> {
  const wanted = [undefined, true, false].flatMap((bot) => [
    { goalId: 'signup', ...(bot !== undefined && { bot }) },
    { goalId: 'revenue', ...(bot !== undefined && { bot }) },
  ]);
  for (const { goalId, bot } of wanted) {
    const range = { propertyId, goalId, from: T0 + 15, to: T0 + 150, ...(bot !== undefined && { bot }) };
    const reached = model
      .goals(propertyId, goalId)
      .filter((it) => it.at >= range.from && it.at < range.to && (bot === undefined || it.bot === bot));
    const sum = (list: typeof reached) => list.reduce((total, it) => total + BigInt(it.amountMicros), 0n);
    const ups = reached.filter(({ count }) => count > 0);
    const downs = reached.filter(({ count }) => count < 0);
    const totals = {
      increments: ups.length,
      decrements: downs.length,
      incrementedMicros: sum(ups),
      decrementedMicros: -sum(downs),
    };
    expect(await store.goalTotals(range)).toEqual(totals);
    const bucket = { at: T0 - (T0 % 3_600_000), ...totals };
    const series: GoalBucket[] = reached.length > 0 ? [bucket] : [];
    expect(await store.goalSeries({ ...range, interval: 'hour', timeZone: 'UTC' })).toEqual(series);
  }
}

/** Exposures and goals of the same millisecond may be listed in any order. */
export function withoutTies<T extends SessionSummary>(session: T): T {
  const timeOf = (it: object) => ('at' in it ? Number(it.at) : 0);
  const order = <It extends object>(list: It[]) =>
    list.toSorted((a, b) => timeOf(a) - timeOf(b) || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { ...session, exposures: order(session.exposures), goals: order(session.goals) };
}
