import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConditionStep, FlagSteps, RuleStep } from '../api/explanations.ts';
import type { FlagDefinition, Segment } from '../api/targeting.ts';
import { context, flag, regex, segment } from '../testing/random-flags.ts';
import { explainFlag } from './explain-flag.ts';
import { compileFlags } from './flags.ts';
import { hashFraction } from './hash.ts';

const SEED = 2203;

/** The value that the steps lead to. */
function concluded({ configured, enabled, prerequisites, rules, defaultValue, fallthrough }: FlagSteps) {
  if (!configured || !enabled || prerequisites.some(({ met }) => !met)) return { value: defaultValue };
  const served = rules.find(({ outcome }) => outcome === 'served');
  if (served === undefined) return { value: fallthrough };
  const { id: ruleId, value, rollout } = served;
  const entry = rollout?.split?.find((each) => each.served);
  return entry ? { value: entry.value, ruleId, variant: entry.variant } : { value, ruleId };
}

/** Whether the conditions of a step hold by the results of each. */
function holds(match: RuleStep['match'], conditions: readonly ConditionStep[]): boolean {
  if (match === 'any' && conditions.length > 0) return conditions.some(({ matched }) => matched);
  return conditions.every(({ matched }) => matched);
}

function expectConsistent(steps: FlagSteps): void {
  const servedAt = steps.rules.findIndex(({ outcome }) => outcome === 'served');
  for (const { outcome, index, match, conditions, rollout } of steps.rules) {
    if (conditions !== undefined) expect(holds(match, conditions)).toBe(outcome !== 'no-match');
    if (servedAt >= 0 && index > servedAt) expect(outcome).toMatch(/not-reached|turned-off/);
    if (rollout) expect(rollout.included).toBe(outcome === 'served');
  }
  const members = new Map(steps.segments.map(({ id, matched }) => [id, matched]));
  for (const { match, conditions, matched } of steps.segments) {
    // Segments in a cycle match nobody, whatever their conditions.
    if (matched) expect(conditions.length > 0 && holds(match, conditions)).toBe(true);
  }
  const asked = [...steps.rules, ...steps.segments].flatMap(({ conditions = [] }) => conditions);
  for (const { id, matched } of asked.flatMap(({ segments = [] }) => segments)) {
    expect(members.get(id) ?? false).toBe(matched);
  }
}

describe(`explanations of flags (seed ${SEED})`, () => {
  it('have the result of the evaluator, and steps that lead to it', () => {
    fc.assert(
      fc.property(
        fc.array(flag, { minLength: 1, maxLength: 6 }),
        fc.array(segment, { maxLength: 4 }),
        context,
        (flags, segments, given) => {
          const set = compileFlags(flags, segments, { regex });
          for (const key of set.keys) {
            const explained = explainFlag(key, { flags, segments }, given, { regex });
            expect(explained?.evaluation).toEqual(set.evaluate(key, given));
            const { value, ruleId, variant } = explained!.evaluation;
            expect(concluded(explained!.steps)).toEqual({ value, ruleId, variant });
            expectConsistent(explained!.steps);
          }
        },
      ),
      { seed: SEED, numRuns: 500 },
    );
  });
});

const SEGMENTS: Segment[] = [
  { id: 'staff', conditions: [{ attribute: 'email', operator: 'endsWith', values: ['@shop.example'] }] },
  { id: 'friends', name: 'Friends', conditions: [{ operator: 'inSegment', values: ['staff'] }] },
];

const boolean = (key: string, configuration?: Partial<FlagDefinition['configuration']>): FlagDefinition => ({
  key,
  type: 'boolean',
  defaultValue: false,
  version: 3,
  configuration: { enabled: true, value: false, rules: [], prerequisites: [], ...configuration },
});

describe('explainFlag', () => {
  const flags = [
    boolean('base', { value: true }),
    boolean('checkout', {
      prerequisites: [{ flag: 'base', value: true }],
      rules: [
        { id: 'off', enabled: false, value: true },
        { id: 'friends', conditions: [{ operator: 'inSegment', values: ['friends', 'gone'] }], value: true },
        {
          id: 'half',
          match: 'any',
          conditions: [
            { attribute: 'plan', operator: 'equals', values: ['pro'] },
            { attribute: 'age', operator: 'greaterThan', values: [30] },
          ],
          rollout: { percentage: 50 },
          value: true,
        },
        { id: 'last', value: false },
      ],
    }),
  ];
  const explain = (given: Record<string, unknown>) =>
    explainFlag('checkout', { flags, segments: SEGMENTS }, given, { regex })!;

  it('tells rule by rule and condition by condition why', () => {
    const visitorId = Array.from({ length: 50 }, (_, index) => `v${index}`).find(
      (id) => hashFraction(`checkout:half:${id}`) >= 0.5,
    )!;
    const { evaluation, ruleIndex, steps, unknown } = explain({ plan: 'pro', visitorId });
    expect(evaluation).toMatchObject({ value: false, reason: 'TARGETING_MATCH', ruleId: 'last' });
    expect(ruleIndex).toBe(3);
    expect(unknown).toEqual(['age', 'email']);
    expect(steps).toMatchObject({ configured: true, enabled: true, defaultValue: false, fallthrough: false });
    expect(steps.prerequisites).toEqual([
      { flag: 'base', expected: true, actual: true, reason: 'STATIC', met: true },
    ]);
    expect(steps.rules.map(({ outcome }) => outcome)).toEqual([
      ...['turned-off', 'no-match', 'rolled-out-to-others', 'served'],
    ]);
    const [, friends, half] = steps.rules;
    expect(friends!.conditions![0]).toMatchObject({
      matched: false,
      segments: [
        { id: 'friends', matched: false },
        { id: 'gone', matched: false },
      ],
    });
    expect(half!.conditions).toMatchObject([
      { attribute: 'plan', matched: true, actual: 'pro' },
      { attribute: 'age', matched: false, missing: true },
    ]);
    expect(half!.rollout).toMatchObject({ percentage: 50, attribute: 'visitorId', unit: visitorId });
    expect(half!.rollout!.bucket).toBeCloseTo(hashFraction(`checkout:half:${visitorId}`) * 100, 10);
    expect(steps.segments.map(({ id, name, matched }) => [id, name, matched])).toEqual([
      ['friends', 'Friends', false],
      ['staff', undefined, false],
    ]);
  });

  it('marks what was not reached', () => {
    const { steps } = explain({ email: 'ada@shop.example' });
    expect(steps.rules.map(({ outcome }) => outcome)).toEqual([
      ...['turned-off', 'served', 'not-reached', 'not-reached'],
    ]);
    expect(steps.rules[2]).not.toHaveProperty('conditions');
  });

  it('explains flags that are turned off, not configured, or have an unmet prerequisite', () => {
    const others = [
      boolean('off', { enabled: false, rules: [{ id: 'r', value: true }] }),
      { key: 'none', type: 'boolean' as const, defaultValue: true, version: 1 },
      boolean('unmet', {
        value: true,
        prerequisites: [
          { flag: 'off', value: true },
          { flag: 'gone', value: true },
        ],
      }),
    ];
    const of = (key: string) => explainFlag(key, { flags: others, segments: [] }, {}, { regex });
    expect(of('off')).toMatchObject({ evaluation: { reason: 'DISABLED' }, steps: { enabled: false } });
    expect(of('off')!.steps.rules).toMatchObject([{ outcome: 'not-reached' }]);
    expect(of('none')).toMatchObject({
      evaluation: { value: true },
      steps: { configured: false, enabled: false, fallthrough: null, prerequisites: [], rules: [] },
    });
    expect(of('off')!.steps.prerequisites).toEqual([]);
    expect(of('unmet')).toMatchObject({
      evaluation: { value: false, reason: 'DEFAULT' },
      steps: {
        prerequisites: [
          { actual: false, met: false },
          { actual: null, met: false },
        ],
      },
    });
    expect(of('missing')).toBeUndefined();
  });

  it('has the position of the rule that is served, also of the first and within a rollout', () => {
    const rules = [{ id: 'r', name: 'Everyone', rollout: { percentage: 100 }, value: true }];
    const all = [boolean('f', { rules }), boolean('none', { rules: [] })];
    const of = (key: string) => explainFlag(key, { flags: all, segments: [] }, {}, { regex })!;
    expect(of('f')).toMatchObject({ ruleIndex: 0, evaluation: { reason: 'SPLIT' } });
    expect(of('f').steps.rules).toEqual([
      {
        index: 0,
        id: 'r',
        name: 'Everyone',
        value: true,
        outcome: 'served',
        match: 'all',
        conditions: [],
        rollout: { percentage: 100, attribute: null, unit: null, bucket: null, included: true },
      },
    ]);
    expect(of('none')).not.toHaveProperty('ruleIndex');
  });

  it('shows a condition without an attribute as one whose attribute is missing', () => {
    const rules = [{ id: 'r', conditions: [{ operator: 'isSet' as const }], value: true }];
    const targeting = { flags: [boolean('f', { rules })], segments: [] };
    const { steps } = explainFlag('f', targeting, { undefined: 'x' }, { regex })!;
    expect(steps.rules[0]!.conditions).toEqual([{ operator: 'isSet', matched: false, missing: true }]);
  });

  it('has names only where they exist, and all as the default match', () => {
    const { steps } = explain({ email: 'ada@shop.example' });
    expect(steps.rules.filter((rule) => 'name' in rule)).toEqual([]);
    expect(steps.rules[1]).toMatchObject({ match: 'all' });
    const email = { attribute: 'email', operator: 'endsWith', values: ['@shop.example'] };
    expect(steps.segments).toStrictEqual([
      {
        id: 'friends',
        name: 'Friends',
        matched: true,
        match: 'all',
        conditions: [
          {
            operator: 'inSegment',
            values: ['staff'],
            matched: true,
            segments: [{ id: 'staff', matched: true }],
          },
        ],
      },
      {
        id: 'staff',
        matched: true,
        match: 'all',
        conditions: [{ ...email, matched: true, actual: 'ada@shop.example' }],
      },
    ]);
  });
});
