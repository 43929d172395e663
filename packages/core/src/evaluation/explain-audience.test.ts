import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AudienceStep } from '../api/explanations.ts';
import { condition, context, regex, segment } from '../testing/random-flags.ts';
import { compileConditions } from './conditions.ts';
import { explainAudience } from './explain-audience.ts';
import { compileScope } from './segments.ts';

const SEED = 4177;

const audience = fc.record(
  {
    match: fc.constantFrom('all' as const, 'any' as const),
    conditions: fc.array(condition, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: ['conditions'] },
);

/** What the results of the conditions lead to. */
const concluded = ({ match, conditions }: Pick<AudienceStep, 'match' | 'conditions'>) =>
  match === 'any' ? conditions.some(({ matched }) => matched) : conditions.every(({ matched }) => matched);

describe(`explanations of audiences (seed ${SEED})`, () => {
  it('have the result of the conditions, and steps that lead to it', () => {
    let passed = 0;
    fc.assert(
      fc.property(audience, fc.array(segment, { maxLength: 4 }), context, (given, segments, visitor) => {
        const scope = compileScope(segments, regex, { id: 1 });
        const expected = compileConditions(given.match, given.conditions, scope)(visitor);
        const { step } = explainAudience(given, segments, visitor, { regex });
        expect(step.passed).toBe(expected);
        expect(concluded(step)).toBe(expected);
        const members = new Map(step.segments.map(({ id, matched }) => [id, matched]));
        for (const { segments: asked = [] } of step.conditions)
          for (const { id, matched } of asked) expect(members.get(id) ?? false).toBe(matched);
        if (expected) passed++;
      }),
      { seed: SEED, numRuns: 2000 },
    );
    expect(passed).toBeGreaterThan(100);
  });

  it('show each condition with what the context has, and the segments that it asks for', () => {
    const segments = [
      {
        id: 'paying',
        name: 'Paying customers',
        conditions: [{ attribute: 'plan', operator: 'in' as const, values: ['pro', 'team'] }],
      },
    ];
    const conditions = [
      { operator: 'inSegment' as const, values: ['paying'] },
      { attribute: 'country', operator: 'equals' as const, values: ['CH'] },
    ];
    const of = (match: 'all' | 'any') =>
      explainAudience({ match, conditions }, segments, { plan: 'pro' }, { regex });
    expect(of('all')).toEqual({
      step: {
        match: 'all',
        passed: false,
        conditions: [
          { ...conditions[0], matched: true, segments: [{ id: 'paying', matched: true }] },
          { ...conditions[1], matched: false, missing: true },
        ],
        segments: [
          {
            id: 'paying',
            name: 'Paying customers',
            matched: true,
            match: 'all',
            conditions: [{ ...segments[0]!.conditions[0], matched: true, actual: 'pro' }],
          },
        ],
      },
      unknown: ['country'],
    });
    expect(of('any').step.passed).toBe(true);
    expect(explainAudience({ conditions }, segments, {}, { regex }).unknown).toEqual(['country', 'plan']);
  });
});
