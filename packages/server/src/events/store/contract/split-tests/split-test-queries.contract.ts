import { DAY_MS } from '@switchyard/core/time';
import fc from 'fast-check';
import type { FeedbackGoal, SplitTestQuery } from '../../split-test-queries.ts';
import { T0 } from '../random-requests.contract.ts';

const MIDNIGHT = T0 - (T0 % DAY_MS);
const NEVER = Number.MAX_SAFE_INTEGER;
const SEED = 20_261_118;

/** A query without the test that it is about. */
export type QueryOptions = Omit<SplitTestQuery, 'propertyId' | 'splitTestKey'>;

/** Feedback as a query has it for the outcome "chose this option": everyone who answered, and who chose it. */
const answers = (feedbackTypeId: string, option: string): FeedbackGoal[] => [
  { goalId: `${feedbackTypeId} answered`, feedbackTypeId },
  { goalId: `${feedbackTypeId} ${option}`, feedbackTypeId, option },
];

/** A phase of the test `price`, to split visitors by. */
const phaseOfPrice = (options: Pick<SplitTestQuery, 'phase' | 'from' | 'to'>) => ({
  splitTestKey: 'price',
  variationKeys: ['b', 'a'],
  ...options,
  endsAt: NEVER,
  until: NEVER,
  hasEarlierPhases: options.from > 0,
  hasLaterPhases: options.to < NEVER,
});

/** Milliseconds as random requests have them, or days. */
const time = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: T0 - 20, max: T0 + 300 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }).map((days) => T0 + days * DAY_MS) },
);

const randomOptions: fc.Arbitrary<QueryOptions> = fc
  .record({
    variationKeys: fc.constantFrom(['a', 'b'], ['b', 'a'], ['b', 'c', 'a'], ['a', 'b', 'none']),
    phase: fc.constantFrom(1, 2, 2, 3),
    bounds: fc.tuple(time, time),
    beganAt: fc.option(time, { nil: undefined, freq: 4 }),
    hasEarlierPhases: fc.boolean(),
    hasLaterPhases: fc.boolean(),
    endsAt: fc.oneof(fc.constant(NEVER), time),
    attributionMs: fc.constantFrom(0, 0, 30, 7 * DAY_MS),
    startedAt: fc.constantFrom(0, T0 + 30),
    unit: fc.constantFrom('visitor' as const, 'user' as const, undefined),
    earlyDays: fc.nat(3),
    goalIds: fc.constantFrom(['signup', 'revenue', 'none'], ['revenue'], []),
    revenueGoalIds: fc.constantFrom(['revenue'], [], undefined),
    feedback: fc.constantFrom(answers('nps', 'bad'), undefined),
    preDays: fc.constantFrom(0, 0, 1, 7, 30),
    relatedTests: fc.constantFrom(['price'], ['price', 'unknown'], ['unknown'], [], undefined),
    covariateGoalIds: fc.constantFrom(['revenue'], ['revenue', 'signup', 'none'], [], undefined),
    winsorize: fc.constantFrom(0.5, 0.9, undefined, undefined),
    by: fc.constantFrom(
      undefined,
      undefined,
      { attributes: ['plan'], max: 2 },
      { attributes: ['country', 'plan'], max: 3 },
      { attributes: ['plan', 'none'], max: 9 },
      { attributes: [], max: 2, test: phaseOfPrice({ phase: 1, from: 0, to: NEVER }) },
      { attributes: [], max: 1, test: phaseOfPrice({ phase: 2, from: T0 + 20, to: T0 + 200 }) },
    ),
  })
  .map(({ bounds, attributionMs, unit, revenueGoalIds, feedback, relatedTests, ...it }): QueryOptions => {
    const { covariateGoalIds, winsorize, by, beganAt, ...rest } = it;
    const [from, to] = bounds.toSorted((a, b) => a - b) as [number, number];
    return {
      ...rest,
      from: rest.hasEarlierPhases ? from : 0,
      to: rest.hasLaterPhases ? to : NEVER,
      until: rest.endsAt === NEVER ? NEVER : rest.endsAt + attributionMs,
      days: { from: MIDNIGHT + DAY_MS, to: MIDNIGHT + 12 * DAY_MS, step: 1 + (from % 3) },
      ...(beganAt !== undefined && { beganAt }),
      ...(unit && { unit }),
      ...(revenueGoalIds && { revenueGoalIds }),
      ...(feedback && { feedback }),
      ...(relatedTests && { relatedTests }),
      ...(covariateGoalIds && { covariateGoalIds }),
      ...(winsorize && { winsorize }),
      ...(by && { by }),
    };
  });

/** A few queries with what occurs most often, then random ones. */
export const SPLIT_TEST_QUERIES: readonly QueryOptions[] = [
  {
    variationKeys: ['a', 'b'],
    phase: 1,
    from: 0,
    to: NEVER,
    startedAt: 0,
    endsAt: T0 + 10 * DAY_MS,
    until: T0 + 20 * DAY_MS,
    hasEarlierPhases: false,
    hasLaterPhases: false,
    days: { from: MIDNIGHT, to: MIDNIGHT + 20 * DAY_MS, step: 1 },
    earlyDays: 1,
    goalIds: ['signup', 'revenue', 'none'],
    revenueGoalIds: ['revenue'],
    feedback: [...answers('nps', 'bad'), ...answers('bug', 'none'), ...answers('none', 'bad')],
    preDays: 7,
    relatedTests: ['price'],
    covariateGoalIds: ['revenue'],
  },
  {
    variationKeys: ['b', 'c', 'a'],
    phase: 2,
    from: T0 + 20,
    to: T0 + 30 * DAY_MS,
    startedAt: T0 + 20,
    endsAt: NEVER,
    until: NEVER,
    hasEarlierPhases: true,
    hasLaterPhases: true,
    days: { from: MIDNIGHT + DAY_MS, to: MIDNIGHT + 12 * DAY_MS, step: 5 },
    earlyDays: 2,
    goalIds: ['revenue'],
    feedback: answers('nps', 'good'),
    preDays: 0,
    by: { attributes: ['country'], max: 1 },
  },
  {
    variationKeys: ['a', 'b'],
    phase: 1,
    from: 0,
    to: NEVER,
    startedAt: T0 + 30,
    endsAt: NEVER,
    until: NEVER,
    hasEarlierPhases: false,
    hasLaterPhases: false,
    days: { from: MIDNIGHT + 2 * DAY_MS, to: MIDNIGHT + 8 * DAY_MS, step: 3 },
    earlyDays: 3,
    goalIds: ['signup', 'revenue'],
    revenueGoalIds: ['revenue'],
    preDays: 0,
    by: { attributes: ['plan'], max: 2 },
  },
  {
    variationKeys: ['a', 'b', 'c'],
    phase: 1,
    from: 0,
    to: NEVER,
    startedAt: 0,
    endsAt: NEVER,
    until: NEVER,
    hasEarlierPhases: false,
    hasLaterPhases: false,
    days: { from: MIDNIGHT, to: MIDNIGHT + 8 * DAY_MS, step: 1 },
    earlyDays: 0,
    goalIds: ['signup', 'revenue'],
    revenueGoalIds: ['revenue'],
    preDays: 0,
    by: { attributes: [], max: 3, test: phaseOfPrice({ phase: 1, from: 0, to: NEVER }) },
  },
  ...fc.sample(randomOptions, { seed: SEED, numRuns: 60 }),
];

/** Queries that engines may answer from earlier answers, also with several phases; the first one ends early. */
export const REPEATED_QUERIES: readonly QueryOptions[] = [
  { ...SPLIT_TEST_QUERIES[0]!, preDays: 0 },
  ...SPLIT_TEST_QUERIES.slice(0, 3),
  ...SPLIT_TEST_QUERIES.slice(3)
    .filter(({ hasEarlierPhases, hasLaterPhases }) => hasEarlierPhases || hasLaterPhases)
    .slice(0, 3)
    .map(({ winsorize: _winsorize, unit: _unit, ...it }) => ({ ...it, preDays: 0, until: NEVER })),
];

/** The query without what only counts have. */
export function feedbackQueryOf(query: SplitTestQuery) {
  const { startedAt: _startedAt, days: _days, goalIds: _goalIds, revenueGoalIds: _revenue, ...rest } = query;
  const {
    feedback: _feedback,
    earlyDays: _earlyDays,
    preDays: _preDays,
    relatedTests: _related,
    ...more
  } = rest;
  const { covariateGoalIds: _covariates, winsorize: _winsorize, by: _by, ...scope } = more;
  return { ...scope, messages: 5 };
}
