import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AssignmentSteps } from '../api/explanations.ts';
import { assign } from './assignment.ts';
import { type ExplainableTest, explainAssignment } from './explain-assignment.ts';

const SEED = 3119;

// Most of the doubles are close to an end, where a wrong id would make no difference.
const percentage = fc.oneof(fc.nat(100), fc.double({ min: 0, max: 100, noNaN: true }));
const range = fc
  .tuple(percentage, percentage)
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
const variations = fc
  .array(fc.constantFrom(0, 1, 2.5, 50), { minLength: 1, maxLength: 4 })
  .map((weights) => weights.map((weight, index) => ({ key: `v${index}`, weight })));
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
const isLetIn = ({ holdout, exclusion, traffic }: AssignmentSteps) =>
  [holdout, exclusion, traffic].every((step) => step === null || step.passed);

describe(`explanations of assignments (seed ${SEED})`, () => {
  it('have the result of the assignment, and steps that lead to it', () => {
    fc.assert(
      fc.property(definition, holdout, fc.string(), userId, (given, held, visitorId, user) => {
        const expected = assign(given, visitorId, held, user);
        const test = running({ definition: given, holdout: held });
        const { included, variation, reason, steps } = explainAssignment(test, visitorId, user);
        expect(steps.assignedBy).toBe(given.unit === 'user' && user ? 'userId' : 'visitorId');
        expect({ included, variation }).toEqual({
          included: expected.included,
          variation: given.variations[expected.index]!.key,
        });
        expect(reason === 'ASSIGNED').toBe(included);
        const hasWeight = given.variations.some(({ weight }) => weight > 0);
        expect(isLetIn(steps) && hasWeight).toBe(included);
        const chosen = steps.variations.filter((each) => each.chosen);
        expect(chosen.map(({ key }) => key)).toEqual(included ? [variation] : []);
        if (included) {
          expect(steps.variationBucket!).toBeGreaterThanOrEqual(chosen[0]!.from - 1e-9);
          expect(steps.variationBucket!).toBeLessThan(chosen[0]!.to + 1e-9);
        }
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('explain tests that are not running', () => {
    const of = (more: Partial<ExplainableTest>) => explainAssignment(running(more), 'visitor');
    expect(of({ status: 'paused' })).toMatchObject({ variation: null, reason: 'NOT_RUNNING' });
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
});
