import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Condition, type FlagDefinition, OPERATORS, type Operator } from '../api/targeting.ts';
import { condition, context, flag, INHERITED, regex, segment, values } from '../testing/random-flags.ts';
import type { Context } from './attribute-values.ts';
import { compileFlags, createFlagCompiler } from './flags.ts';

const SEED = 1729;

function matches(given: Condition, context: Context): boolean {
  const rules = [{ id: 'r1', conditions: [given], value: true }];
  const configuration = { enabled: true, value: false, rules, prerequisites: [] };
  const flags: FlagDefinition[] = [
    { key: 'f', type: 'boolean', defaultValue: false, version: 1, configuration },
  ];
  return compileFlags(flags, [], { regex }).evaluate('f', context)?.value === true;
}

describe(`flag properties (seed ${SEED})`, () => {
  it('never throws, and gives the same results for one flag and for all', () => {
    const flags = fc.array(flag, { maxLength: 6 });
    fc.assert(
      fc.property(
        flags,
        fc.array(segment, { maxLength: 4 }),
        context,
        (definitions, segments, evaluationContext) => {
          const set = compileFlags(definitions, segments, { regex });
          const all = set.evaluateAll(evaluationContext);
          expect(Object.keys(all).toSorted()).toEqual(set.keys.toSorted());
          for (const key of set.keys) {
            expect(typeof all[key]?.value).toBe('boolean');
            expect(set.evaluate(key, evaluationContext)).toBe(all[key]);
          }
        },
      ),
      { seed: SEED, numRuns: 3000 },
    );
  });

  it('never matches a missing attribute, except isNotSet', () => {
    const asking = OPERATORS.filter((operator) => operator !== 'isNotSet' && operator !== 'inSegment');
    const operator: fc.Arbitrary<Operator> = fc.constantFrom(...asking);
    fc.assert(
      fc.property(condition, operator, fc.constantFrom({}, { missing: null }), (given, operator, context) => {
        expect(matches({ ...given, operator, attribute: 'missing' }, context)).toBe(false);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('never reads inherited properties', () => {
    const inherited = Object.create({ inherited: 'yes' }) as Context;
    expect(matches({ attribute: 'inherited', operator: 'isSet' }, inherited)).toBe(false);
    for (const attribute of INHERITED) {
      expect(matches({ attribute, operator: 'isSet' }, {})).toBe(false);
      expect(matches({ attribute, operator: 'isNotSet' }, {})).toBe(true);
      expect(matches({ attribute, operator: 'contains', values: [''], negate: true }, {})).toBe(false);
      const own = JSON.parse(`{"${attribute}":"own"}`) as Context;
      expect(matches({ attribute, operator: 'equals', values: ['own'] }, own)).toBe(true);
      expect(Object.keys(compileFlags([], [], { regex }).evaluateAll(own))).toEqual([]);
    }
    expect(Object.hasOwn(Object.prototype, 'own')).toBe(false);
  });

  it('inverts the result with negate if the attribute is present', () => {
    const asking = OPERATORS.filter((operator) => !operator.endsWith('Set') && operator !== 'inSegment');
    const sensible = fc.constantFrom(5, '5', '1.2.3', '2024-01-01');
    const present = fc.oneof(values, fc.jsonValue()).filter((value) => value !== null);
    fc.assert(
      fc.property(fc.constantFrom(...asking), sensible, fc.boolean(), present, (operator, value, fold, a) => {
        const given = { attribute: 'a', operator, values: [value], caseInsensitive: fold };
        const plain = matches(given, { a });
        // An invalid condition (a version as number, a date as decimal) never matches.
        if (plain || matches({ ...given, negate: true }, { a })) {
          expect(matches({ ...given, negate: true }, { a })).toBe(!plain);
        }
      }),
      { seed: SEED, numRuns: 3000 },
    );
  });
});

describe('a compiler that has compiled other versions of the flags', () => {
  it('returns the same results as a new one', () => {
    const flags = fc.array(flag, { minLength: 1, maxLength: 6 });
    const changes = fc.array(fc.tuple(fc.nat(), flag), { maxLength: 5 });
    fc.assert(
      fc.property(
        flags,
        changes,
        fc.array(segment, { maxLength: 3 }),
        context,
        (first, edits, segments, given) => {
          const compile = createFlagCompiler(segments, { regex });
          const current = [...first];
          compile(current).evaluateAll(given);
          for (const [index, changed] of edits) {
            current[index % current.length] = changed;
            const reused = compile(current).evaluateAll(given);
            expect(reused).toEqual(compileFlags(current, segments, { regex }).evaluateAll(given));
          }
        },
      ),
      { seed: SEED },
    );
  });
});
