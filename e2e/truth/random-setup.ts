import type { SeededRandom } from '../support/random.ts';
import {
  type Change,
  DAY_MS,
  type FlagRule,
  HOUR_MS,
  type Outcome,
  type Setup,
  type Statistics,
  type Step,
  type TestSetup,
  type Variation,
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
    tests: [earlier, hero, measuredTest(random, profile), ...measuredRules(random, profile)],
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

/** A split that is drawn by visitor or by whatever is known, and a rollout. */
function measuredRules(random: SeededRandom, profile: Profile): TestSetup[] {
  const byVisitor = chance(random, 0.5);
  const split: FlagRule = { flagKey: 'price', ruleId: 'parts', kind: 'split' };
  const rollout: FlagRule = { flagKey: 'checkout', ruleId: 'some', kind: 'rollout' };
  const metrics = ['signups', 'order-value', 'came-back'];
  return [
    measuredRule(
      random,
      profile,
      { ...split, ...(byVisitor && { by: 'visitorId' }) },
      { goals: ['revenue'], metrics },
    ),
    measuredRule(
      random,
      profile,
      { ...rollout, ...(!byVisitor && { by: 'visitorId' }) },
      { guardrails: ['complaint'] },
    ),
  ];
}

function measuredRule(
  random: SeededRandom,
  profile: Profile,
  flag: FlagRule,
  outcomes: Partial<TestSetup>,
): TestSetup {
  const test = randomTest(random, flag.flagKey, '', profile);
  return {
    ...test,
    guardrails: [],
    ...outcomes,
    key: `flag:${flag.flagKey}/production/${flag.ruleId}`,
    hashSeed: `seed-${flag.flagKey}`,
    flag,
    unit: flag.by === undefined ? 'user' : 'visitor',
    variations: flag.kind === 'rollout' ? offAndOn(random) : test.variations,
    // Those of all measured rules.
    attributionDays: 7,
  };
}

function offAndOn(random: SeededRandom): Variation[] {
  const percentage = random.between(10, 90);
  return [
    { key: 'off', weight: 100 - percentage },
    { key: 'on', weight: percentage },
  ];
}

/** When the tests start, change and stop. The first one ends before the second one starts, or runs beside it. */
export function randomChanges(
  random: SeededRandom,
  { tests }: Setup,
  profile: Profile,
  start: number,
): Step[] {
  const after = (days: number) => days * DAY_MS + random.between(1, 20 * HOUR_MS);
  const [earlier, hero, measured, ...rules] = tests as [TestSetup, TestSetup, TestSetup, ...TestSetup[]];
  const isDisjoint = chance(random, 0.5);
  const startOfEarlier = start + after(3);
  const startOfHero = start + after(7);
  const changes = [
    ...changesOfTest(random, earlier, profile, startOfEarlier, isDisjoint ? 3 : 7),
    ...changesOfTest(random, hero, profile, startOfHero, 10),
    ...changesOfTest(random, measured, profile, start + after(5), 9),
    ...rules.flatMap((rule) => changesOfTest(random, rule, profile, start + after(4), 8)),
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
  if (test.flag !== undefined && chance(random, 0.4)) {
    wait(0.15);
    add({ action: 'again' });
  }
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
    const winners = test.flag?.kind === 'rollout' ? ['off', 'on'] : ['control', 'b', 'b'];
    // A promoted rule goes on to serve its winner.
    const winner = chance(random, test.flag === undefined ? 0.6 : 0.85) ? random.pick(winners) : null;
    add({ action: 'stop', winner });
  }
  return changes;
}

function randomRound(random: SeededRandom, { variations, flag }: TestSetup, singlePhase: boolean): Action[] {
  const weighted = (keys: readonly string[]): Action => ({
    action: 'variations',
    variations: keys.map((key) => ({ key, weight: random.between(1, 9) * 10 + 1 })),
  });
  const keys = variations.map(({ key }) => key);
  const withoutLast = variations.map((it, index): Variation => {
    return index === keys.length - 1 ? { ...it, retired: true } : it;
  });
  // Entries of a split in a flag cannot be taken out.
  const canRetire = flag === undefined && keys.length > 2;
  const paused = (between: Action[]): Action[] => [{ action: 'pause' }, ...between, { action: 'resume' }];
  if (singlePhase) return paused([]);
  if (flag !== undefined && chance(random, 0.4)) {
    return random.pick<() => Action[]>([
      () => [{ action: 'audience', plans: ['free', 'pro'] }],
      () => paused([{ action: 'audience', plans: ['pro'] }]),
      () => [{ action: 'otherwise', value: `rest-${random.between(1, 9)}` }],
    ])();
  }
  if (flag?.kind === 'rollout') {
    const raised: Action = { action: 'variations', variations: offAndOn(random) };
    return random.pick<() => Action[]>([() => [raised], () => paused([raised]), () => paused([])])();
  }
  return random.pick<() => Action[]>([
    () => [weighted(keys)],
    () => [weighted(keys)],
    () => [weighted(keys), weighted(keys)],
    () => paused([]),
    () => paused([weighted(keys)]),
    // The last one taken out of a phase, and of the next one.
    () => (canRetire ? [weighted(keys), { action: 'variations', variations: withoutLast }] : []),
    () => (canRetire ? [{ action: 'variations', variations: withoutLast }] : []),
    () => [{ action: 'audience', plans: ['free', 'pro'] }],
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
