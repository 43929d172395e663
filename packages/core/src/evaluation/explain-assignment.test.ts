import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AssignmentSteps } from '../api/explanations.ts';
import { assign } from './assignment.ts';
import { type ExplainableTest, explainAssignment } from './explain-assignment.ts';
import { hashFraction } from './hash.ts';

const SEED = 3119;

// Most of the doubles are close to an end, where a wrong id would make no difference.
const percentage = fc.oneof(fc.nat(100), fc.double({ min: 0, max: 100, noNaN: true }));
const range = fc
  .tuple(percentage, percentage)
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
const variations = fc
  .array(
    fc.record({ weight: fc.constantFrom(0, 1, 2.5, 50), retired: fc.constantFrom(true, false, false) }),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((list) =>
    list.map(({ weight, retired }, index) => ({ key: `v${index}`, weight, ...(retired && { retired }) })),
  );
const definition = fc.record({
  hashSeed: fc.string(),
  trafficAllocation: percentage,
  variations,
  exclusion: fc.option(
    range.map((slot) => ({ ...slot, seed: 'e', group: 'g' })),
    { nil: undefined },
  ),
  unit: fc.constantFrom(undefined, 'visitor' as const, 'user' as const),
});
const userId = fc.option(fc.string(), { nil: undefined });
const holdout = fc.option(fc.record({ seed: fc.string(), percentage }), { nil: undefined });

const audienceStep = (passed: boolean) => ({ match: 'all' as const, conditions: [], segments: [], passed });
const audience = fc.constantFrom(undefined, audienceStep(true), audienceStep(true), audienceStep(false));

const running = (more: Partial<ExplainableTest>): ExplainableTest => ({
  status: 'running',
  winner: null,
  phase: 1,
  definition: {
    hashSeed: 's',
    trafficAllocation: 100,
    variations: ['a', 'b'].map((key) => ({ key, weight: 1 })),
  },
  ...more,
});

/** Whether the steps let the visitor take part. */
const isLetIn = ({ holdout, exclusion, audience, traffic }: AssignmentSteps) =>
  [holdout, exclusion, audience, traffic].every((step) => step === null || step.passed);

describe(`explanations of assignments (seed ${SEED})`, () => {
  it('have the result of the assignment, and steps that lead to it', () => {
    fc.assert(
      fc.property(
        definition,
        holdout,
        audience,
        fc.string(),
        userId,
        (given, held, step, visitorId, user) => {
          const isOutside = step?.passed === false;
          const expected = isOutside ? { included: false, index: 0 } : assign(given, visitorId, held, user);
          const test = running({ definition: given, holdout: held, audience: step });
          const { included, variation, reason, steps } = explainAssignment(test, visitorId, user);
          expect(steps.assignedBy).toBe(given.unit === 'user' && user ? 'userId' : 'visitorId');
          expect({ included, variation }).toEqual({
            included: expected.included,
            variation: given.variations[expected.index]!.key,
          });
          expect(reason === 'ASSIGNED').toBe(included);
          const hasWeight = given.variations.some(({ weight }) => weight > 0);
          expect(isLetIn(steps)).toBe(['ASSIGNED', 'RETIRED', 'NO_WEIGHT'].includes(reason));
          expect(reason === 'NO_WEIGHT').toBe(isLetIn(steps) && !hasWeight);
          if (reason === 'RETIRED') {
            const own = steps.variations.filter(
              ({ from, to }) => steps.variationBucket! >= from - 1e-9 && steps.variationBucket! < to + 1e-9,
            );
            expect(own.some(({ retired }) => retired)).toBe(true);
          }
          const chosen = steps.variations.filter((each) => each.chosen);
          expect(chosen.map(({ key }) => key)).toEqual(included ? [variation] : []);
          if (included) {
            expect(steps.variationBucket!).toBeGreaterThanOrEqual(chosen[0]!.from - 1e-9);
            expect(steps.variationBucket!).toBeLessThan(chosen[0]!.to + 1e-9);
          }
        },
      ),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('explain tests that are not running', () => {
    const of = (more: Partial<ExplainableTest>) => explainAssignment(running(more), 'visitor');
    expect(of({ status: 'paused' })).toMatchObject({
      included: false,
      variation: null,
      reason: 'NOT_RUNNING',
    });
    expect(of({ status: 'stopped' })).toMatchObject({ variation: null, reason: 'NOT_RUNNING' });
    const won = of({ status: 'stopped', winner: 'b' });
    expect(won).toMatchObject({ included: false, variation: 'b', reason: 'WINNER' });
  });

  it('need a visitor', () => {
    const { included, variation, reason, steps } = explainAssignment(running({}), undefined);
    expect({ included, variation, reason }).toEqual({
      included: false,
      variation: 'a',
      reason: 'NO_VISITOR',
    });
    expect(steps).toMatchObject({ assignedBy: null, traffic: null, variationBucket: null });
  });

  /** The first of many visitors whose draw for `seed` is in a range of 0 to 100. */
  const visitorAt = (seed: string, from: number, to: number) =>
    Array.from({ length: 1000 }, (_, index) => `v${index}`).find((id) => {
      const point = hashFraction(`${seed}:${id}`) * 100;
      return point >= from && point < to;
    })!;
  const { definition: plain } = running({});

  it('name the first step that keeps a visitor out', () => {
    const holdout = { seed: 'h', percentage: 50 };
    const exclusion = { seed: 'e', group: 'g', from: 0, to: 50 };
    const of = (more: Partial<ExplainableTest>, visitorId: string) =>
      explainAssignment(running(more), visitorId);

    const held = of({ holdout }, visitorAt('holdout:h', 0, 50));
    expect(held).toMatchObject({ included: false, variation: 'a', reason: 'HOLDOUT' });
    expect(held.steps.holdout).toMatchObject({ from: 0, to: 50, passed: false });
    expect(of({ holdout }, visitorAt('holdout:h', 50, 100))).toMatchObject({
      reason: 'ASSIGNED',
      steps: { holdout: { passed: true } },
    });

    const excluded = of({ definition: { ...plain, exclusion } }, visitorAt('exclusion:e', 50, 100));
    expect(excluded).toMatchObject({ included: false, variation: 'a', reason: 'EXCLUSION_GROUP' });
    expect(excluded.steps.exclusion).toMatchObject({ group: 'g', from: 0, to: 50, passed: false });

    const outside = of({ definition: { ...plain, trafficAllocation: 50 } }, visitorAt('s:traffic', 50, 100));
    expect(outside).toMatchObject({ included: false, variation: 'a', reason: 'TRAFFIC' });
    expect(outside.steps).toMatchObject({ holdout: null, exclusion: null });

    const variations = [{ key: 'a', weight: 0 }];
    expect(of({ definition: { ...plain, variations } }, 'v1')).toMatchObject({
      included: false,
      reason: 'NO_WEIGHT',
      steps: { variations: [{ key: 'a', weight: 0, from: 0, to: 0, chosen: false }] },
    });
    expect(of({ definition: { ...plain, variations: [] } }, 'v1').variation).toBeNull();
  });

  it('name the audience after the holdout and the exclusion group, and before the traffic', () => {
    const exclusion = { seed: 'e', group: 'g', from: 0, to: 50 };
    const of = (more: Partial<ExplainableTest>, visitorId: string | undefined) =>
      explainAssignment(running({ audience: audienceStep(false), ...more }), visitorId);
    const outside = of({}, 'v1');
    expect(outside).toMatchObject({ included: false, variation: 'a', reason: 'AUDIENCE' });
    expect(outside.steps.audience).toEqual(audienceStep(false));
    const noTraffic = { ...plain, trafficAllocation: 0 };
    expect(of({ definition: noTraffic }, 'v1').reason).toBe('AUDIENCE');
    expect(of({ definition: noTraffic, audience: audienceStep(true) }, 'v1').reason).toBe('TRAFFIC');
    expect(of({ holdout: { seed: 'h', percentage: 100 } }, 'v1').reason).toBe('HOLDOUT');
    const excluded = visitorAt('exclusion:e', 50, 100);
    expect(of({ definition: { ...plain, exclusion } }, excluded).reason).toBe('EXCLUSION_GROUP');
    expect(of({}, undefined)).toMatchObject({
      reason: 'NO_VISITOR',
      steps: { audience: { passed: false } },
    });
  });

  it('show the control to visitors of a retired variation', () => {
    const variations = [
      { key: 'a', weight: 1 },
      { key: 'b', weight: 1, retired: true },
      { key: 'c', weight: 2 },
    ];
    const of = (from: number, to: number) =>
      explainAssignment(
        running({ definition: { ...plain, variations } }),
        visitorAt('s:variation', from, to),
      );
    expect(of(25, 50)).toMatchObject({
      included: false,
      variation: 'a',
      reason: 'RETIRED',
      steps: {
        variations: [
          { key: 'a', chosen: false },
          { key: 'b', from: 25, to: 50, chosen: false, retired: true },
          { key: 'c', chosen: false },
        ],
      },
    });
    const assigned = of(50, 100);
    expect(assigned).toMatchObject({ included: true, variation: 'c', reason: 'ASSIGNED' });
    expect(assigned.steps.variations.map((each) => 'retired' in each)).toEqual([false, true, false]);
  });

  it('have the draws of the visitor, and the ranges of the variations', () => {
    const variations = [
      { key: 'a', weight: 1 },
      { key: 'none', weight: 0 },
      { key: 'b', weight: 3 },
    ];
    const exclusion = { seed: 'e', group: 'g', from: 0, to: 100 };
    const definition = { ...plain, trafficAllocation: 90, variations, exclusion };
    const visitorId = visitorAt('s:variation', 25, 100);
    const test = running({ definition, holdout: { seed: 'h', percentage: 0 } });
    const draw = (seed: string) => hashFraction(`${seed}:${visitorId}`) * 100;
    const { steps } = explainAssignment(test, visitorId);
    const traffic = draw('s:traffic');
    expect(steps).toEqual({
      status: 'running',
      winner: null,
      phase: 1,
      holdout: { bucket: draw('holdout:h'), from: 0, to: 0, passed: true },
      exclusion: { bucket: draw('exclusion:e'), from: 0, to: 100, passed: true, group: 'g' },
      audience: null,
      assignedBy: 'visitorId',
      traffic: { bucket: traffic, from: 0, to: 90, passed: traffic < 90 },
      variations: [
        { key: 'a', weight: 1, from: 0, to: 25, chosen: false },
        { key: 'none', weight: 0, from: 25, to: 25, chosen: false },
        { key: 'b', weight: 3, from: 25, to: 100, chosen: traffic < 90 },
      ],
      variationBucket: draw('s:variation'),
    });
  });

  it('let visitors in whose draw is the start of a range, but not the end', () => {
    const draw = hashFraction('exclusion:e:v') * 100;
    const within = (from: number, to: number) => {
      const exclusion = { seed: 'e', group: 'g', from, to };
      const { included, steps } = explainAssignment(running({ definition: { ...plain, exclusion } }), 'v');
      return [included, steps.exclusion!.passed];
    };
    expect(within(draw, 100)).toEqual([true, true]);
    expect(within(0, draw)).toEqual([false, false]);
    expect(within(draw + 1e-6, 100)).toEqual([false, false]);
  });

  it('draw by the user if the test says so, but not for the holdout and the exclusion group', () => {
    const exclusion = { seed: 'e', group: 'g', from: 0, to: 100 };
    const definition = { ...plain, exclusion, unit: 'user' as const };
    const test = running({ definition, holdout: { seed: 'h', percentage: 1 } });
    const bucket = (seed: string, id: string) => hashFraction(`${seed}:${id}`) * 100;
    expect(explainAssignment(test, 'v', 'u').steps).toMatchObject({
      assignedBy: 'userId',
      holdout: { bucket: bucket('holdout:h', 'v') },
      exclusion: { bucket: bucket('exclusion:e', 'v') },
      traffic: { bucket: bucket('s:traffic', 'u') },
      variationBucket: bucket('s:variation', 'u'),
    });
    for (const userId of ['', undefined]) {
      expect(explainAssignment(test, 'v', userId).steps).toMatchObject({
        assignedBy: 'visitorId',
        variationBucket: bucket('s:variation', 'v'),
      });
    }
    expect(explainAssignment(test, undefined, 'u').steps).toMatchObject({
      assignedBy: null,
      holdout: null,
      exclusion: null,
      traffic: null,
      variationBucket: null,
    });
    expect(explainAssignment(running({}), 'v', 'u').steps.assignedBy).toBe('visitorId');
  });
});
