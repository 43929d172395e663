import type { SeededRandom } from '../support/random.ts';
import {
  type Change,
  DAY_MS,
  HOUR_MS,
  type Outcome,
  type Setup,
  type Statistics,
  type Step,
  type TestSetup,
} from './history.ts';

/** What a history is made for; what is not fixed here is random. */
export interface Profile {
  name: string;
  /** Without changes of the running test, so that there is only one phase. */
  singlePhase?: boolean;
  /** Without the stop of a test. */
  endless?: boolean;
  cuped?: boolean;
  winsorize?: boolean;
  unit?: 'visitor' | 'user';
  engine?: Statistics['engine'];
}

const GOALS: Setup['goals'] = [
  { id: 'signup', kind: 'count', lowerIsBetter: false },
  { id: 'revenue', kind: 'revenue', lowerIsBetter: false },
  { id: 'complaint', kind: 'count', lowerIsBetter: true },
  // Not measured by any test, but part of what visitors spent before.
  { id: 'donation', kind: 'revenue', lowerIsBetter: false },
];

/** Each of the kinds, with and without a window. */
const METRICS: Setup['metrics'] = [
  { id: 'signups', kind: 'count', goalId: 'signup', withinDays: 2, cap: 2 },
  { id: 'spending', kind: 'sum', goalId: 'revenue', cap: 60 },
  {
    id: 'order-value',
    kind: 'ratio',
    numerator: { goalId: 'revenue', of: 'sum' },
    denominator: { goalId: 'revenue', of: 'count' },
    withinDays: 3,
  },
  { id: 'searches-per-view', kind: 'ratio', numerator: { event: 'search' }, denominator: { path: '*' } },
  { id: 'came-back', kind: 'retention', fromDay: 1, toDay: 2 },
  { id: 'complained-later', kind: 'retention', fromDay: 1, toDay: 4, goalId: 'complaint' },
  {
    id: 'way',
    kind: 'funnel',
    steps: [{ path: '/*' }, { event: 'pay' }, { goalId: 'signup' }],
    withinDays: 4,
  },
  { id: 'load', kind: 'quantile', quantile: 0.75, event: 'load', property: 'value' },
  { id: 'order', kind: 'quantile', quantile: 0.5, goalId: 'revenue', withinDays: 2 },
  { id: 'checkout', kind: 'page', path: '/checkout*', of: 'visitors', withinDays: 1 },
  { id: 'views', kind: 'page', path: '*/pay', of: 'views', cap: 2 },
  { id: 'bounce', kind: 'page', path: '/', of: 'bounce' },
  { id: 'searches', kind: 'event', event: 'search', of: 'count', withinDays: 5 },
];

const FEEDBACK_TYPES: Setup['feedbackTypes'] = [{ id: 'nps', options: ['good', 'fair', 'bad'] }];

const chance = (random: SeededRandom, probability: number) => random.next() < probability;

export function randomSetup(random: SeededRandom, propertyId: string, profile: Profile): Setup {
  const hero = randomTest(random, 'hero', 'seed-hero', profile);
  const isRelated = chance(random, 0.5);
  const earlier = randomTest(random, 'hero-draft', isRelated ? 'seed-hero' : 'seed-other', profile);
  return {
    propertyId,
    statistics: {
      engine: profile.engine ?? random.pick(['sequential', 'frequentist'] as const),
      alpha: random.pick([0.05, 0.1]),
      sequentialN: random.pick([200, 5000]),
      correction: random.pick(['none', 'holm'] as const),
      cuped: profile.cuped ?? chance(random, 0.6),
      preDays: random.between(1, 9),
      // Exact in binary, so that the rank of the quantile is not a matter of rounding.
      winsorize: (profile.winsorize ?? chance(random, 0.5)) ? random.pick([0.75, 0.875, 0.9375]) : null,
    },
    goals: GOALS,
    feedbackTypes: FEEDBACK_TYPES,
    metrics: METRICS,
    tests: [earlier, hero, measuredTest(random, profile)],
  };
}

function randomTest(random: SeededRandom, key: string, hashSeed: string, profile: Profile): TestSetup {
  const keys = ['control', 'b', 'c', 'd'].slice(0, random.between(2, 4));
  const answers: Outcome = { feedbackType: 'nps' };
  const good: Outcome = { feedbackType: 'nps', option: 'good' };
  const goals = random.pick<Outcome[]>([
    ['signup', 'revenue', good],
    ['revenue', 'signup'],
    ['revenue', answers],
    ['signup', good, 'revenue', answers],
  ]);
  return {
    key,
    hashSeed,
    unit: profile.unit ?? random.pick(['visitor', 'user'] as const),
    variations: keys.map((variation) => ({ key: variation, weight: random.between(1, 5) * 10 })),
    goals,
    guardrails: ['complaint'],
    attributionDays: random.between(0, 4),
  };
}

/** A test with nothing but metrics. */
function measuredTest(random: SeededRandom, profile: Profile): TestSetup {
  const test = randomTest(random, 'measured', 'seed-measured', profile);
  return { ...test, goals: [], guardrails: [], metrics: METRICS.map(({ id }) => id) };
}

/** When the tests start, change and stop. The first one ends before the second one starts, or runs beside it. */
export function randomChanges(
  random: SeededRandom,
  { tests }: Setup,
  profile: Profile,
  start: number,
): Step[] {
  const after = (days: number) => days * DAY_MS + random.between(1, 20 * HOUR_MS);
  const [earlier, hero, measured] = tests as [TestSetup, TestSetup, TestSetup];
  const isDisjoint = chance(random, 0.5);
  const startOfEarlier = start + after(3);
  const startOfHero = start + after(7);
  const changes = [
    ...changesOfTest(random, earlier, profile, startOfEarlier, isDisjoint ? 3 : 7),
    ...changesOfTest(random, hero, profile, startOfHero, 10),
    ...changesOfTest(random, measured, profile, start + after(5), 9),
  ];
  return changes
    .map(({ at, change }): Step => ({ at, requests: [change] }))
    .sort((left, right) => left.at - right.at);
}

type Action = Change extends infer Each
  ? Each extends Change
    ? Omit<Each, 'kind' | 'testKey'>
    : never
  : never;

function changesOfTest(
  random: SeededRandom,
  test: TestSetup,
  { singlePhase = false, endless = false }: Profile,
  startedAt: number,
  days: number,
): { at: number; change: Change }[] {
  const changes: { at: number; change: Change }[] = [];
  let at = startedAt;
  const add = (action: Action) =>
    changes.push({ at, change: { kind: 'change', testKey: test.key, ...action } as Change });
  const wait = (share: number) => {
    at += Math.round(days * DAY_MS * share * (0.5 + random.next()));
  };
  add({ action: 'start' });
  const rounds = days > 5 ? random.between(1, 2) : random.between(0, 1);
  for (let round = 0; round < rounds; round++) {
    wait(0.3);
    for (const action of randomRound(random, test, singlePhase)) {
      add(action);
      wait(0.05);
    }
  }
  wait(0.3);
  if (chance(random, 0.75) && !endless) {
    const winner = chance(random, 0.6) ? random.pick(['control', 'b']) : null;
    add({ action: 'stop', winner });
  }
  return changes;
}

function randomRound(random: SeededRandom, { variations }: TestSetup, singlePhase: boolean): Action[] {
  const weighted = (keys: readonly string[]): Action => ({
    action: 'variations',
    variations: keys.map((key) => ({ key, weight: random.between(1, 9) * 10 + 1 })),
  });
  const keys = variations.map(({ key }) => key);
  const paused = (between: Action[]): Action[] => [{ action: 'pause' }, ...between, { action: 'resume' }];
  if (singlePhase) return paused([]);
  return random.pick<() => Action[]>([
    () => [weighted(keys)],
    () => [weighted(keys)],
    () => [weighted(keys), weighted(keys)],
    () => paused([]),
    () => paused([weighted(keys)]),
    // One more, and the last one removed.
    () => [weighted([...keys, 'e'])],
    () => [weighted(keys.length > 2 ? keys.slice(0, -1) : [...keys].reverse())],
    () => [{ action: 'traffic', trafficAllocation: 60 }],
    () => [
      { action: 'traffic', trafficAllocation: 60 },
      { action: 'traffic', trafficAllocation: 90 },
    ],
  ])();
}
