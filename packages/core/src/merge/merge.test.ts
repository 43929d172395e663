import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { applyDifferences, differences } from './differences.ts';
import { valueAt } from './json-pointer.ts';
import { sameJson } from './json-value.ts';
import { merge } from './merge.ts';
import { applyMergePatch } from './merge-patch.ts';
import { mergeKeepingMine } from './three-way-merge.ts';

// A few names, so that documents overlap; some are special in JSON pointers or in JavaScript.
const name = fc.constantFrom('a', 'b', 'id', 'key', '', 'a/b', 'm~n', '0', '__proto__', 'constructor');
const scalar = fc.constantFrom(null, true, false, 0, 1, '', 'x');
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.record({ id: fc.constantFrom('x', 'y'), more: tie('value') }), { maxLength: 3 }),
  ),
})).value;
const document = fc.dictionary(name, json, { maxKeys: 6 });
const RUNS = { numRuns: 500 };

describe('differences', () => {
  it('lead from one value to the other, and back', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const changes = differences(before, after);
        expect(sameJson(applyDifferences(before, changes), after)).toBe(true);
        const reversed = changes.map((each) => ({ ...each, before: each.after, after: each.before }));
        expect(sameJson(applyDifferences(after, reversed), before)).toBe(true);
        expect(changes.length === 0).toBe(sameJson(before, after));
      }),
      RUNS,
    );
  });

  it('survive being stored as JSON', () => {
    fc.assert(
      fc.property(document, document, (before, after) => {
        const stored = JSON.parse(JSON.stringify(differences(before, after)));
        expect(sameJson(applyDifferences(before, stored), after)).toBe(true);
      }),
      RUNS,
    );
  });

  it('do not modify what they are applied to', () => {
    fc.assert(
      fc.property(document, document, (before, after) => {
        const copy = structuredClone(before);
        applyDifferences(before, differences(before, after));
        expect(sameJson(before, copy)).toBe(true);
      }),
    );
  });

  it('name the changed field, and list items with the same ids one by one', () => {
    const before = { rules: [{ id: 'a', value: 1 }, { id: 'b' }], tags: ['x'] };
    const after = { rules: [{ id: 'a', value: 2 }, { id: 'b' }], tags: ['x', 'y'] };
    expect(differences(before, after)).toEqual([
      { pointer: '/rules/0/value', before: 1, after: 2 },
      { pointer: '/tags', before: ['x'], after: ['x', 'y'] },
    ]);
    const swapped = [...after.rules].reverse();
    expect(differences(after, { ...after, rules: swapped })).toEqual([
      { pointer: '/rules', before: after.rules, after: swapped },
    ]);
  });

  it('compare lists as a whole if nothing tells their items apart', () => {
    const before = {
      conditions: [{ attribute: 'plan', values: ['pro'] }],
      prerequisites: [{ flag: 'x', value: 1 }],
    };
    const after = {
      conditions: [{ attribute: 'plan', values: ['free'] }],
      prerequisites: [{ flag: 'x', value: 2 }],
    };
    expect(differences(before, after)).toEqual([
      { pointer: '/conditions', before: before.conditions, after: after.conditions },
      { pointer: '/prerequisites/0/value', before: 1, after: 2 },
    ]);
  });

  it('lead to the values at their pointers', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        for (const change of differences(before, after)) {
          expect(valueAt(before, change.pointer)).toEqual(change.before);
          expect(valueAt(after, change.pointer)).toEqual(change.after);
        }
      }),
    );
    expect(valueAt({ a: 'text' }, '/a/length/b')).toBeUndefined();
    expect(valueAt({}, '/constructor')).toBeUndefined();
  });

  it('treat `__proto__` as a field like any other', () => {
    const after = JSON.parse('{"__proto__": {"polluted": true}}');
    const changes = differences({}, after);
    expect(changes).toEqual([{ pointer: '/__proto__', after: { polluted: true } }]);
    const applied = applyDifferences({}, changes) as object;
    expect(Object.hasOwn(applied, '__proto__')).toBe(true);
    expect({}).not.toHaveProperty('polluted');
    const patched = applyMergePatch({ a: 1 }, after) as object;
    expect(Object.keys(patched)).toEqual(['a', '__proto__']);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('merge', () => {
  it('of a side without changes gives the other side', () => {
    fc.assert(
      fc.property(document, document, (base, other) => {
        for (const [mine, theirs] of [
          [other, base],
          [base, other],
          [other, other],
        ]) {
          const { merged, conflicts } = merge(base, mine, theirs);
          expect(conflicts).toEqual([]);
          expect(sameJson(merged, other)).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('gives the same result whoever comes first, with the changes of both', () => {
    fc.assert(
      fc.property(document, document, document, (base, mine, theirs) => {
        const first = merge(base, mine, theirs);
        const second = merge(base, theirs, mine);
        expect(first.conflicts.length === 0).toBe(second.conflicts.length === 0);
        if (first.conflicts.length > 0) {
          expect(first.merged).toBe(theirs);
          return;
        }
        expect(sameJson(first.merged, second.merged)).toBe(true);
        // Nothing is left to apply of either side.
        for (const side of [mine, theirs]) {
          const again = applyDifferences(first.merged, differences(base, side));
          expect(sameJson(again, first.merged)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('finds a conflict when one side changes a part of what the other side replaces or removes', () => {
    const base = { rollout: { percentage: 10 }, name: 'x' };
    const mine = { rollout: { percentage: 20 }, name: 'x' };
    expect(merge(base, mine, { name: 'y' }).conflicts).toEqual(['/rollout/percentage']);
    expect(merge(base, { name: 'y' }, mine).conflicts).toEqual(['/rollout']);
    expect(merge(base, mine, { ...base, name: 'y' })).toEqual({
      merged: { rollout: { percentage: 20 }, name: 'y' },
      conflicts: [],
    });
  });
});

describe('merge of lists', () => {
  it.each<[string, object, object, object]>([
    ['conditions', { attribute: 'plan', values: [1] }, { values: [2] }, { attribute: 'country' }],
    ['prerequisites', { flag: 'x', value: true }, { value: false }, { flag: 'y' }],
  ])('never combines parts of different %s', (_name, item, mine, theirs) => {
    const base = { list: [item] };
    const { conflicts } = merge(base, { list: [{ ...item, ...mine }] }, { list: [{ ...item, ...theirs }] });
    expect(conflicts).toHaveLength(1);
  });
});

describe('merging a draft into a newer document', () => {
  const base = {
    name: 'a',
    tags: ['x'],
    rules: [
      { id: 'r1', value: 1 },
      { id: 'r2', value: 1 },
    ],
  };

  it('keeps what the draft changed and takes the rest', () => {
    const current = { ...base, tags: ['x', 'y'], name: 'theirs' };
    expect(mergeKeepingMine(base, { ...base, name: 'own' }, current)).toEqual({ ...current, name: 'own' });
  });

  it('merges items that are still the same ones', () => {
    const current = {
      ...base,
      rules: [
        { id: 'r1', value: 1 },
        { id: 'r2', value: 2 },
      ],
    };
    const draft = {
      ...base,
      rules: [
        { id: 'r1', value: 3 },
        { id: 'r2', value: 1 },
      ],
    };
    expect(mergeKeepingMine(base, draft, current)).toMatchObject({ rules: [{ value: 3 }, { value: 2 }] });
  });

  it('takes a reordered or shortened list as a whole', () => {
    const draft = { ...base, rules: [base.rules[1]] };
    expect(mergeKeepingMine(base, draft, { ...base, name: 'b' })).toEqual({ ...draft, name: 'b' });
  });

  it('takes over added and removed fields', () => {
    const { tags: _, ...current } = { ...base, owner: 'ada' };
    expect(mergeKeepingMine(base, { ...base, name: 'own' }, current)).toEqual({ ...current, name: 'own' });
  });
});

describe('merge patch', () => {
  // RFC 7396, appendix A.
  test.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j gives %j', (target, patch, expected) => {
    expect(applyMergePatch(target, patch)).toEqual(expected);
  });

  it('changes nothing when applied twice', () => {
    fc.assert(
      fc.property(document, json, (target, patch) => {
        const once = applyMergePatch(target, patch);
        expect(sameJson(applyMergePatch(once, patch), once)).toBe(true);
      }),
      RUNS,
    );
  });
});
