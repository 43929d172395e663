import { expect, it } from 'vitest';
import { type Analysis, analyse, type MethodSettings } from '../analysis.ts';
import { type Comparison, NO_COMPARISON } from '../comparison.ts';
import type { GoalOutcome } from '../report/goal-outcome.ts';
import type { HealthProblem } from '../report/health.ts';
import { decideVerdict, type VerdictInput } from '../report/verdict.ts';
import { aaSummary, aaWords } from './aa-words.ts';
import { describeProblem } from './health-words.ts';
import { describePlan, type PlanFacts } from './plan-words.ts';

// Every text that the statistics produce, in one file to read: words.md.

type AaFacts = Parameters<typeof aaWords>[0];
type Counts = readonly [visitors: number, converted: number];

const SEQUENTIAL: MethodSettings = { method: 'sequential' };
const FREQUENTIST: MethodSettings = { method: 'frequentist' };
const BAYESIAN: MethodSettings = { method: 'bayesian' };
const planned = (...fractions: number[]): MethodSettings => ({
  method: 'group-sequential',
  looks: { fraction: fractions.at(-1)!, spending: 'obrien-fleming' },
});

function outcome(name: string, settings: MethodSettings, a: Counts, b: Counts): GoalOutcome {
  const variations = [a, b].map(([n, sum], i) => ({ key: `v${i}`, n, sum, sumSquares: sum }));
  const analysis: Analysis = { ...settings, metric: 'proportion', control: 'v0', variations };
  const [control, variation] = analyse(analysis).variations;
  return { name, unit: 'rate', control: control!.mean, variation: variation!.mean, comparison: variation! };
}

const money = (comparison: Comparison, control: number, variation: number): GoalOutcome => ({
  name: 'Revenue',
  unit: 'dollars',
  control,
  variation,
  comparison,
});

function verdict(a: Counts, b: Counts, settings: MethodSettings, more: Partial<VerdictInput> = {}): string {
  const visitors = a[0] + b[0];
  return decideVerdict({
    ...settings,
    variation: 'b',
    problems: [],
    primary: outcome('Sign-ups', settings, a, b),
    visitors,
    traffic: { dailyVisitors: 900, uncertainty: 0.1 },
    ...more,
  }).words;
}

const A: Counts = [6200, 428];
const effect = (value: number) => ({ smallestEffect: { kind: 'relative' as const, value } });
const slow = { traffic: { dailyVisitors: 20, uncertainty: 0.1 } };
/** Computed by the test that reads them, so that a failure in the statistics is a failure of that test. */
function verdicts(): Record<string, string> {
  const complaints = {
    ...outcome('Complaints', SEQUENTIAL, [6200, 40], [6200, 120]),
    lowerIsBetter: true,
    maxHarm: 0.02,
  };
  const renewals = { ...outcome('Renewals', SEQUENTIAL, [6200, 1200], [6200, 1190]), maxHarm: 0.2 };
  const refunds = {
    ...outcome('Refunds', SEQUENTIAL, [6200, 60], [6200, 62]),
    lowerIsBetter: true,
    maxHarm: 0.1,
  };
  const interval = (estimate: number, low: number | null, high: number | null) => ({ estimate, low, high });
  const collecting = { conversions: 13, required: 50, days: 4 };

  return {
    'ship, always-valid': verdict(A, [6200, 533], SEQUENTIAL, { guardrails: [renewals] }),
    'ship, although a guardrail is open': verdict(A, [6200, 533], SEQUENTIAL, {
      guardrails: [renewals, refunds],
      shipWithOpenGuardrails: true,
    }),
    'keep going, better, but a guardrail is open': verdict(A, [6200, 533], SEQUENTIAL, {
      guardrails: [renewals, refunds],
    }),
    'keep going, better, but a guardrail will stay open': verdict(A, [6200, 533], SEQUENTIAL, {
      guardrails: [renewals, { ...refunds, name: 'Errors', maxHarm: 0.02 }],
      ...slow,
    }),
    'ended, better, but two guardrails are open': verdict(A, [6200, 533], SEQUENTIAL, {
      guardrails: [refunds, { ...refunds, name: 'Errors' }],
      isOver: true,
    }),
    'ship, group-sequential': verdict(A, [6200, 533], planned(0.2, 0.4, 0.6)),
    'ship, Bayesian': verdict(A, [6200, 500], BAYESIAN),
    'ship, after the end': verdict(A, [6200, 533], SEQUENTIAL, { isOver: true }),
    'ship, a rate of zero in the control': verdict([6200, 0], [6200, 60], SEQUENTIAL),
    'ship, revenue': verdict(A, A, FREQUENTIST, {
      primary: money(
        {
          ...NO_COMPARISON,
          absolute: interval(0.21, 0.05, 0.37),
          relative: interval(0.17, 0.04, 0.32),
          pValue: 0.01,
        },
        1.24,
        1.45,
      ),
    }),
    'ship, revenue in euros': verdict(A, A, FREQUENTIST, {
      currency: 'EUR',
      primary: money(
        { ...NO_COMPARISON, absolute: interval(1.2, 0.4, 2), relative: null, pValue: 0.01 },
        0,
        1.2,
      ),
      guardrails: [renewals],
    }),
    'roll back, revenue in francs': verdict(A, A, FREQUENTIST, {
      currency: 'CHF',
      primary: money(
        { ...NO_COMPARISON, absolute: interval(-36, -60, -12), relative: null, pValue: 0.01 },
        -150.41,
        -186.41,
      ),
    }),
    'ship, no upper limit': verdict(A, A, FREQUENTIST, {
      primary: money(
        {
          ...NO_COMPARISON,
          absolute: interval(3.1, 0.4, 5.8),
          relative: interval(7.75, 0.4, null),
          pValue: 0.02,
        },
        0.4,
        3.5,
      ),
    }),
    'roll back, primary goal': verdict(A, [6200, 330], SEQUENTIAL, { guardrails: [renewals] }),
    'roll back, third variation': verdict(A, [6200, 330], SEQUENTIAL, { variations: 3 }),
    'roll back, Bayesian': verdict(A, [6200, 330], BAYESIAN),
    'roll back, guardrail, while the primary goal improves': verdict(A, [6200, 533], SEQUENTIAL, {
      guardrails: [complaints, renewals, refunds],
    }),
    'roll back, two guardrails': verdict(A, [6200, 533], SEQUENTIAL, {
      guardrails: [complaints, { ...complaints, name: 'Support tickets' }, renewals],
      isOver: true,
    }),
    'no difference that matters': verdict([60_000, 6000], [60_000, 6030], SEQUENTIAL, effect(0.1)),
    'no difference at the planned end': verdict(A, [6200, 435], planned(0.5, 1), { plannedVisitors: 12_400 }),
    'no difference at the planned end, smallest effect': verdict(A, [6200, 435], planned(0.5, 1), {
      ...effect(0.1),
      plannedVisitors: 12_400,
    }),
    hopeless: verdict(A, [6200, 430], planned(0.4, 0.8), { plannedVisitors: 15_500 }),
    'hopeless, smallest effect': verdict(A, [6200, 430], planned(0.4, 0.8), {
      ...effect(0.1),
      plannedVisitors: 15_500,
    }),
    'keep going, always-valid': verdict(A, [6200, 500], SEQUENTIAL, { guardrails: [renewals] }),
    'keep going, group-sequential': verdict(A, [6200, 480], planned(0.2, 0.4), { plannedVisitors: 31_000 }),
    'keep going, evaluated once': verdict(A, [6200, 500], FREQUENTIST, { plannedVisitors: 31_000 }),
    'keep going, only clear before the correction': verdict(A, [6200, 520], SEQUENTIAL, {
      primary: { ...outcome('Sign-ups', SEQUENTIAL, A, [6200, 520]), adjustedPValue: 0.09 },
    }),
    'keep going, may take long': verdict(A, [6200, 455], SEQUENTIAL),
    'keep going, not in sight': verdict(A, [6200, 440], SEQUENTIAL, slow),
    'keep going, no visitors come any more': verdict(A, [6200, 440], SEQUENTIAL, { traffic: undefined }),
    'keep going, ended': verdict(A, [6200, 440], SEQUENTIAL, { isOver: true, guardrails: [renewals] }),
    'keep going, nothing to compare': verdict(A, A, SEQUENTIAL, {
      primary: { ...outcome('Sign-ups', SEQUENTIAL, A, A), variation: null, comparison: NO_COMPARISON },
    }),
    'keep going, control may be zero': verdict(A, A, FREQUENTIST, {
      primary: money(
        {
          ...NO_COMPARISON,
          absolute: interval(0.3, -0.4, 1),
          relative: interval(0.75, null, null),
          pValue: 0.4,
        },
        0.4,
        0.7,
      ),
    }),
    collecting: verdict([400, 5], [390, 8], SEQUENTIAL, { collecting, guardrails: [renewals] }),
    'collecting, no conversions yet': verdict([400, 0], [390, 0], SEQUENTIAL, {
      collecting: { conversions: 0, required: 50, days: null },
    }),
    'roll back, one of three, after the end': verdict(A, [6200, 330], SEQUENTIAL, {
      variations: 3,
      isOver: true,
    }),
    'no difference, one of three': verdict([60_000, 6000], [60_000, 6030], SEQUENTIAL, {
      ...effect(0.1),
      variations: 3,
    }),
    'no difference, after the end': verdict([60_000, 6000], [60_000, 6030], SEQUENTIAL, {
      ...effect(0.1),
      isOver: true,
    }),
    'unhealthy, novelty': verdict(A, [6200, 533], SEQUENTIAL, {
      problems: [
        { problem: 'novelty', variation: 'b', pValue: 1e-5, early: 0.41, late: 0.02, unit: 'relative' },
      ],
    }),
    'ship, negative control': verdict(A, A, FREQUENTIST, {
      primary: money(
        {
          ...NO_COMPARISON,
          absolute: interval(0.6, 0.5, 0.7),
          relative: interval(-0.6, -0.7, -0.5),
          pValue: 0,
        },
        -1,
        -0.4,
      ),
    }),
    'collecting, no visitors yet': verdict([0, 0], [0, 0], SEQUENTIAL, {
      collecting: { conversions: 0, required: 50, days: null },
    }),
    'collecting, not started': verdict([0, 0], [0, 0], SEQUENTIAL, {
      collecting: { conversions: 0, required: 50, days: null },
      hasStarted: false,
    }),
    'collecting, no visitors come any more': verdict([400, 5], [390, 8], SEQUENTIAL, {
      collecting: { ...collecting, days: null },
    }),
    'collecting, ended': verdict([400, 5], [390, 8], SEQUENTIAL, {
      collecting,
      guardrails: [renewals],
      isOver: true,
    }),
    'keep going, a guardrail without data': verdict(A, [6200, 500], SEQUENTIAL, {
      guardrails: [renewals, { ...refunds, variation: null, comparison: NO_COMPARISON }],
    }),
    unhealthy: verdict(A, [6200, 533], SEQUENTIAL, {
      problems: [{ problem: 'mixed-visitors', mixed: 312, share: 0.0246 }],
      guardrails: [renewals],
    }),
  };
}

const split = (a: number, b: number, pValue: number): HealthProblem => ({
  problem: 'sample-ratio-mismatch',
  pValue,
  visitors: [
    { key: 'control', visitors: a, expected: (a + b) / 2 },
    { key: 'b', visitors: b, expected: (a + b) / 2 },
  ],
});
const novelty = { problem: 'novelty', variation: 'b', pValue: 1e-5 } as const;

const PROBLEMS: Record<string, HealthProblem> = {
  split: split(5165, 4835, 0.00097),
  'split, far off': split(5000, 3500, 1e-60),
  'mixed visitors': { problem: 'mixed-visitors', mixed: 312, share: 0.0246 },
  'one mixed visitor': { problem: 'mixed-visitors', mixed: 1, share: 0.02 },
  novelty: { ...novelty, early: 0.41, late: 0.02, unit: 'relative' },
  'novelty, absolute': { ...novelty, early: 1.4, late: -0.2, unit: 'absolute' },
  'a variation without exposures': { problem: 'missing-exposures', variations: ['b'], days: 0 },
  'days without exposures': { problem: 'missing-exposures', variations: [], days: 3 },
  'days on which only others were exposed': {
    problem: 'missing-exposures',
    variations: [],
    days: 0,
    oneSided: [{ variation: 'b', days: 2 }],
  },
  both: { problem: 'missing-exposures', variations: ['b', 'c'], days: 1 },
  'a variation without conversions': {
    problem: 'missing-conversions',
    variation: 'b',
    goal: 'Sign-ups',
    expected: 148.8,
  },
};

const PLAN: PlanFacts = {
  goal: 'Sign-ups',
  historyDays: 28,
  visitors: 52_000,
  converted: 5200,
  smallestEffect: 0.05,
  variations: 2,
  power: 0.8,
  canStopEarly: true,
  plan: { visitors: 121_200, days: 66 },
};

const PLANS: Record<string, PlanFacts> = {
  'a plan': PLAN,
  'a fixed plan without traffic': { ...PLAN, canStopEarly: false, plan: { visitors: 121_200, days: null } },
  'one day': {
    ...PLAN,
    historyDays: 1,
    smallestEffect: 0.5,
    variations: 4,
    plan: { visitors: 1800, days: 1 },
  },
  'an audience': { ...PLAN, audienceShare: 0.123, plan: { visitors: 121_200, days: 531 } },
  'a small audience': { ...PLAN, audienceShare: 0.0042, plan: { visitors: 121_200, days: 15_540 } },
  'an empty audience': { ...PLAN, audienceShare: 0, plan: { visitors: 121_200, days: null } },
  'a guardrail that needs longer, one without data, and one that is decided by then': {
    ...PLAN,
    guardrails: [
      { name: 'Refunds', maxHarm: 0.02, visitors: 410_000, days: 221 },
      { name: 'Errors', maxHarm: 0.05, visitors: null, days: null },
      { name: 'Revenue', maxHarm: 0.1, visitors: 12_000, days: 7 },
    ],
  },
  'impossible change': { ...PLAN, visitors: 100, converted: 60, smallestEffect: 1, plan: null },
  'not enough data': { ...PLAN, visitors: 12, converted: 0, plan: null },
};

function aa(verdict: AaFacts['verdict'], more: Partial<AaFacts> = {}): string {
  const facts = {
    mode: 'assignment',
    share: 1,
    visitors: [6162, 6138],
    causes: [],
    goals: 3,
    comparedGoals: 3,
  };
  return aaWords({ ...(facts as Omit<AaFacts, 'verdict'>), verdict, ...more });
}

const differing = (name: string, means: readonly number[], isRevenue = false): AaFacts['causes'][number] => ({
  cause: 'goal',
  pValue: 0.0004,
  goal: {
    goal: { id: 'x', name, kind: isRevenue ? 'revenue' : 'count', lowerIsBetter: false, role: 'secondary' },
    counts: [],
    metrics: [
      {
        metric: isRevenue ? 'revenue-per-visitor' : 'conversion-rate',
        decides: true,
        variations: means.map((mean) => ({ ...NO_COMPARISON, key: 'x', n: 1, mean, adjustedPValue: null })),
      },
    ],
  },
});

const aaVerdicts = (): Record<string, string> => ({
  sound: aa('sound'),
  'sound, sample': aa('sound', { share: 0.25 }),
  'sound, some goals without data': aa('sound', { comparedGoals: 1 }),
  'sound, without goals': aa('sound', { goals: 0, comparedGoals: 0 }),
  'collecting, visitors': aa('collecting', { visitors: [31, 40], comparedGoals: 0 }),
  'collecting, no exposures': aa('collecting', { mode: 'exposures', visitors: [0, 0], comparedGoals: 0 }),
  'collecting, conversions': aa('collecting', { comparedGoals: 0 }),
  'alarm, split': aa('alarm', { visitors: [5100, 4700], causes: [{ cause: 'split', pValue: 5e-5 }] }),
  'alarm, split, exposures': aa('alarm', {
    mode: 'exposures',
    visitors: [5100, 4700],
    causes: [{ cause: 'split', pValue: 5e-5 }],
  }),
  'alarm, goals': aa('alarm', {
    causes: [differing('Sign-ups', [0.1, 0.05]), differing('Orders', [1.2, 1.9], true)],
  }),
  'alarm, tracking': aa('alarm', {
    mode: 'exposures',
    causes: [{ cause: 'tracking', words: describeProblem(PROBLEMS['days without exposures']!) }],
  }),
  'summary, nothing yet': aaSummary([]),
  'summary, one round': aaSummary(['sound']),
  'summary, a year': aaSummary([...Array(11).fill('sound'), 'alarm', 'collecting']),
});

function section(title: string, texts: Record<string, string>): string {
  const entries = Object.entries(texts).map(([name, text]) => `**${name}**\n${text}\n`);
  return [`## ${title}\n`, ...entries].join('\n');
}

const describeAll = <T>(cases: Record<string, T>, describe: (each: T) => string) =>
  Object.fromEntries(Object.entries(cases).map(([name, each]) => [name, describe(each)]));

it('texts are as in words.md', async () => {
  const text = [
    '# Texts of the statistics\n\nGenerated by words.test.ts. After a change: `npx vitest run words.test -u`, then read it.\n',
    section('Verdicts', verdicts()),
    section('Health problems', describeAll(PROBLEMS, describeProblem)),
    section('Plans', describeAll(PLANS, describePlan)),
    section('Built-in A/A test', aaVerdicts()),
  ].join('\n');
  expect(text).not.toMatch(/NaN|∞|Infinity|undefined|null/);
  await expect(text).toMatchFileSnapshot('words.md');
});
