import { DAY_MS } from '@switchyard/core/time';
import { expect, test } from 'vitest';
import type { AcceptedRequest } from '../../accepted-request.ts';
import type { EventStore } from '../../event-store.ts';
import type { GoalSums, SplitTestQuery } from '../../split-test-queries.ts';
import { T0 } from '../random-requests.contract.ts';
import { collect, entry, exposure, exposures, goal, splitTestQuery } from '../sample-requests.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

const feedback = [
  { goalId: 'answered', feedbackTypeId: 'nps' },
  { goalId: 'bad', feedbackTypeId: 'nps', option: 'bad' },
];

/** Visitors who answered, and those who chose "bad". */
const answersIn = (goals: readonly Pick<GoalSums, 'goalId' | 'converted'>[]) =>
  ['answered', 'bad'].map((id) => goals.find(({ goalId }) => goalId === id)?.converted ?? 0);

/** The contract for feedback that counts like conversions of a goal. */
export function describeFeedbackGoals({ store, add, nextProperty }: Suite): void {
  const queryOf = (propertyId: string, more: Partial<SplitTestQuery> = {}) =>
    splitTestQuery({ propertyId, variationKeys: ['a', 'b'], feedback, ...more });
  const groupsOf = async (propertyId: string, more: Partial<SplitTestQuery> = {}) =>
    (await store().splitTestCounts(queryOf(propertyId, more))).groups;
  const answersOf = async (propertyId: string, more: Partial<SplitTestQuery> = {}) =>
    Object.fromEntries(
      (await groupsOf(propertyId, more)).map(({ variationKey, goals }) => [variationKey, answersIn(goals)]),
    );
  const see = (propertyId: string, at: number, ...seen: [sessionId: string, variationKey: string][]) =>
    exposures(
      propertyId,
      at,
      seen.map(([sessionId, variationKey]) => ({ ...exposure(sessionId, at), variationKey })),
    );
  const answer = (propertyId: string, sessionId: string, at: number, option?: string) =>
    entry({ propertyId, sessionId, receivedAt: at, ...(option !== undefined && { option }) });

  test('counts who answered and who chose an option, per variation, each visitor once', async () => {
    const p = nextProperty();
    await add(
      see(p, T0, ['a1', 'a'], ['a2', 'a'], ['a3', 'a'], ['b1', 'b'], ['b2', 'b']),
      answer(p, 'a1', T0 + 1, 'bad'),
      answer(p, 'a1', T0 + 2, 'bad'),
      answer(p, 'a1', T0 + 3, 'good'),
      answer(p, 'a2', T0 + 4, 'good'),
      // A message without an option is an answer too.
      answer(p, 'b1', T0 + 5),
      answer(p, 'stranger', T0 + 6, 'bad'),
      entry({ propertyId: p, receivedAt: T0 + 7, option: 'bad' }),
      entry({ propertyId: p, sessionId: 'b2', receivedAt: T0 + 8, feedbackTypeId: 'other', option: 'bad' }),
    );
    expect(await answersOf(p)).toEqual({ a: [2, 1], b: [1, 0] });
    const a = (await groupsOf(p)).find(({ variationKey }) => variationKey === 'a');
    expect(a?.visitors).toBe(3);
    expect(a?.goals.find(({ goalId }) => goalId === 'answered')).toMatchObject({
      conversions: { sum: 4, sumSquares: 10 },
      amount: { sum: 0 },
    });
  });

  test('counts it beside goals, and without affecting them', async () => {
    const p = nextProperty();
    await add(
      see(p, T0, ['a1', 'a'], ['a2', 'a']),
      goal({ propertyId: p, sessionId: 'a1', receivedAt: T0 + 1, amountMicros: 5_000_000 }),
      answer(p, 'a1', T0 + 2, 'bad'),
      answer(p, 'a2', T0 + 2, 'good'),
    );
    const goals = { goalIds: ['signup'], revenueGoalIds: ['signup'] };
    const [group] = await groupsOf(p, goals);
    const signup = group?.goals.find(({ goalId }) => goalId === 'signup');
    expect(answersIn(group?.goals ?? [])).toEqual([2, 1]);
    expect(signup).toMatchObject({ converted: 1, conversions: { sum: 1 }, amount: { sum: 5 } });
    const [alone] = await groupsOf(p, { ...goals, feedback: [] });
    expect(alone?.goals).toEqual([signup]);
  });

  test('counts answers from the first exposure to the end; earlier ones are the covariate', async () => {
    const p = nextProperty();
    await add(
      answer(p, 'a1', T0 - 8 * DAY_MS, 'bad'),
      answer(p, 'a1', T0 - DAY_MS, 'bad'),
      see(p, T0, ['a1', 'a'], ['a2', 'a']),
      answer(p, 'a2', T0 + 10, 'good'),
      answer(p, 'a1', T0 + 20, 'bad'),
    );
    expect(await answersOf(p, { until: T0 + 10 })).toEqual({ a: [0, 0] });
    expect(await answersOf(p, { until: T0 + 20 })).toEqual({ a: [1, 0] });
    const [group] = await groupsOf(p, { preDays: 7, until: T0 + 21 });
    expect(answersIn(group?.goals ?? [])).toEqual([2, 1]);
    expect(group?.goals.find(({ goalId }) => goalId === 'answered')).toMatchObject({
      conversions: { sum: 2, covariateSum: 1, covariateSumSquares: 1, covariateProduct: 1 },
      convertedCovariate: 1,
    });
  });

  test('attributes answers to the visitor, whenever the session is linked to them', async () => {
    const p = nextProperty();
    await add(see(p, T0, ['phone', 'b']), answer(p, 'laptop', T0 + 1, 'bad'), answer(p, 'phone', T0 + 2));
    expect(await answersOf(p)).toEqual({ b: [1, 0] });
    await add(
      ...['phone', 'laptop'].map((sessionId) => collect({ propertyId: p, sessionId, receivedAt: T0 + 3 })),
    );
    expect(await answersOf(p)).toEqual({ b: [1, 1] });
    await add(collect({ propertyId: p, sessionId: 'laptop', visitorId: 'someone else', receivedAt: T0 + 4 }));
    expect(await answersOf(p)).toEqual({ b: [1, 0] });
  });

  test('excludes visitors of several variations, and counts bots separately', async () => {
    const p = nextProperty();
    await add(
      see(p, T0, ['mixed', 'a'], ['mixed', 'b'], ['a1', 'a']),
      exposures(p, T0, [{ ...exposure('bot', T0), bot: true }]),
      ...['mixed', 'a1', 'bot'].map((sessionId) => answer(p, sessionId, T0 + 1, 'bad')),
    );
    const groups = await groupsOf(p);
    expect(
      groups.map(({ variationKey, bot, goals }) => [variationKey, bot, ...answersIn(goals)]).sort(),
    ).toEqual([
      [null, false, 0, 0],
      ['a', false, 1, 1],
      ['a', true, 1, 1],
    ]);
  });

  test('splits answers by segment, by early and late visitors, and by day', async () => {
    const p = nextProperty();
    const midnight = T0 - (T0 % DAY_MS);
    const seen = (sessionId: string, at: number, plan: string) =>
      exposures(p, at, [{ ...exposure(sessionId, at), attributes: JSON.stringify({ plan }) }]);
    await add(
      seen('early', T0, 'pro'),
      answer(p, 'early', T0 + 1, 'bad'),
      answer(p, 'early', T0 + DAY_MS, 'good'),
      seen('late', T0 + 4 * DAY_MS, 'free'),
      answer(p, 'late', T0 + 4 * DAY_MS + 1, 'good'),
      answer(p, 'late', T0 + 5 * DAY_MS, 'bad'),
    );
    const segments = await groupsOf(p, { by: { attributes: ['plan'], max: 1 } });
    expect(segments.map(({ segment, other, goals }) => [segment, other, ...answersIn(goals)]).sort()).toEqual(
      [
        [null, true, 1, 1],
        ['free', false, 1, 1],
      ],
    );
    const halves = await groupsOf(p, { earlyDays: 3, until: T0 + 5 * DAY_MS });
    expect(halves.map(({ early, goals }) => [early, ...answersIn(goals)]).sort()).toEqual([
      [false, 1, 0],
      [true, 1, 1],
    ]);
    const days = { from: midnight, to: midnight + 9 * DAY_MS, step: 1 };
    const { goals } = await store().splitTestSeries(queryOf(p, { days }));
    const byDay = (id: string) =>
      goals
        .filter(({ goalId }) => goalId === id)
        .map(({ at, converted, conversions }) => [(at - midnight) / DAY_MS, converted, conversions.sum]);
    expect(byDay('answered')).toEqual([
      [0, 1, 1],
      [1, 0, 1],
      [4, 1, 1],
      [5, 0, 1],
    ]);
    expect(byDay('bad')).toEqual([
      [0, 1, 1],
      [5, 1, 1],
    ]);
  });

  test('compares options literally', async () => {
    const p = nextProperty();
    const options = ["it's", '%', 'a:b', '\0', '😀', '$1', '"', ' bad', '\uFEFFbad'];
    await add(
      see(p, T0, ...options.map((_, index): [string, string] => [`s${index}`, 'a'])),
      ...options.map((option, index) => answer(p, `s${index}`, T0 + 1, option)),
    );
    const each = options.map((option) => ({ goalId: option, feedbackTypeId: 'nps', option }));
    const [group] = await groupsOf(p, { feedback: each });
    expect(Object.fromEntries(group!.goals.map((it) => [it.goalId, it.converted]))).toEqual(
      Object.fromEntries(options.map((option) => [option, 1])),
    );
  });

  test('forgets answers with their visitor', async () => {
    const p = nextProperty();
    await add(
      see(p, T0, ['a1', 'a'], ['a2', 'a']),
      collect({ propertyId: p, sessionId: 'a1', visitorId: 'ann', receivedAt: T0 + 1 }),
      answer(p, 'a1', T0 + 2, 'bad'),
      answer(p, 'a2', T0 + 2, 'bad'),
    );
    expect(await answersOf(p)).toEqual({ a: [2, 2] });
    await store().forget([{ propertyId: p, visitorId: 'ann' }]);
    expect(await answersOf(p)).toEqual({ a: [1, 1] });
    await store().expire(p, T0 + 3);
    await add(see(p, T0 + 4, ['a2', 'a']));
    expect(await answersOf(p)).toEqual({ a: [0, 0] });
  });
}
