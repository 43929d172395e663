import { sameJson } from '@switchyard/core/merge/json-value';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fieldChanges } from './field-changes.ts';

const SEED = 20_261_119;

// Null and a missing value are the same in the configuration, and so are a missing and an empty object.
const scalar = fc.oneof(fc.constantFrom('a', 'b', 1, true), fc.string());
const item = fc.record(
  {
    id: fc.constantFrom('a', 'b', 'c'),
    conditions: fc.array(fc.record({ values: fc.array(scalar) })),
    scalar,
  },
  { requiredKeys: ['id'] },
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(scalar),
    fc.array(item, { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('id', 'key', 'schedule', '__proto__'), tie('any'), { minKeys: 1 }),
  ),
})).any;

it(`finds items that change places (seed ${SEED})`, () => {
  const ids = fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 5 });
  const moved = fc.tuple(ids, fc.nat(), fc.integer({ min: 1, max: 4 })).map(([before, from, by]) => {
    const after = [...before];
    const [id] = after.splice(from % before.length, 1);
    after.splice((from + by) % before.length, 0, id!);
    return { before, after };
  });
  fc.assert(
    fc.property(moved, ({ before, after }) => {
      const items = (order: readonly string[]) => ({ value: order.map((id) => ({ id })) });
      const isSame = sameJson(before, after);
      expect(fieldChanges(items(before), items(after))).toEqual(
        isSame ? [] : [{ field: 'value', change: 'order', from: before, to: after }],
      );
    }),
    { seed: SEED },
  );
});

it('finds a change exactly when the values differ', () => {
  fc.assert(
    fc.property(value, value, (before, after) => {
      const changes = fieldChanges({ value: before }, { value: after });
      expect(changes.length === 0).toBe(sameJson(before, after));
      expect(fieldChanges({ value: after, other: 1 }, { value: structuredClone(after) })).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
