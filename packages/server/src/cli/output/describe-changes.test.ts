import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeChanges } from './describe-changes.ts';

let shop: MemoryConfiguration;
beforeEach(async () => {
  shop = await openMemoryConfiguration();
});
afterEach(() => shop.handle.close());

const STAFF = {
  id: 'staff',
  conditions: [
    { attribute: 'email', operator: 'endsWith', values: ['@shop.example'] },
    { attribute: 'plan', operator: 'equals', values: ['pro'] },
  ],
  value: true,
};
const TENTH = { id: 'tenth', rollout: { percentage: 10, by: 'userId' }, value: true };
const flag = (rules: object[], fields: object = {}) => ({
  flags: [
    {
      key: 'checkout',
      type: 'boolean',
      defaultValue: false,
      environments: { production: { rules, ...fields } },
    },
  ],
});

/** The lines that `plan` prints below the flag. */
async function lines(after: object): Promise<string[]> {
  const text = describeChanges(await shop.plan({ ...after }));
  return text
    .split('\n')
    .slice(2)
    .map((line) => line.trim());
}

describe('the plan of a changed rule', () => {
  beforeEach(() => shop.apply(flag([STAFF, TENTH])));

  it('names the changed field only', async () => {
    const all = { ...TENTH, rollout: { percentage: 100, by: 'userId' } };
    expect(describeChanges(await shop.plan(flag([STAFF, all])))).toBe(
      'shop:\n  ~ flag checkout\n      Production, rule 2: rollout 10 % → 100 %',
    );
  });

  it('names fields that are added and removed', async () => {
    const changed = { ...TENTH, name: 'Tenth', rollout: { percentage: 10 } };
    expect(await lines(flag([STAFF, changed]))).toEqual([
      'Production, rule 2, name: none → “Tenth”',
      'Production, rule 2: rollout by userId → the first id',
    ]);
    const { rollout: _rollout, ...everybody } = TENTH;
    expect(await lines(flag([STAFF, everybody]))).toEqual([
      'Production, rule 2: rollout 10 % by userId → everyone',
    ]);
  });

  it('names conditions by their position', async () => {
    const [first, second] = STAFF.conditions;
    const conditions = [first, { ...second, values: ['team'] }, { ...second, operator: 'isSet' }];
    expect(await lines(flag([{ ...STAFF, conditions }, TENTH]))).toEqual([
      'Production, rule 1, condition 2: plan is pro → plan is team',
      'Production, rule 1, condition 3 added: plan is set',
    ]);
  });

  it('names added and removed rules', async () => {
    expect(await lines(flag([STAFF, { id: 'new', value: true }]))).toEqual([
      'Rule 2 removed in Production: serve true to 10 % of everyone by userId',
      'Rule 2 added in Production: serve true to everyone',
    ]);
    expect(await lines(flag([]))).toHaveLength(2);
  });

  it('names a new order, also when a rule is added before others', async () => {
    expect(await lines(flag([TENTH, STAFF]))).toEqual([
      'Order of the rules in Production: rule 1, rule 2 → rule 2, rule 1',
    ]);
    expect(await lines(flag([{ id: 'new', value: true }, STAFF, TENTH]))).toEqual([
      'Rule 1 added in Production: serve true to everyone',
    ]);
  });
});

it('variations are compared by key, prerequisites by flag', async () => {
  const variations = ['control', 'b'].map((key) => ({ key, weight: 1 }));
  const base = { key: 'base', type: 'boolean', defaultValue: true };
  const [checkout] = flag([], { prerequisites: [{ flag: 'base', value: true }] }).flags;
  await shop.apply({ splitTests: [{ key: 'hero', type: 'id', variations }], flags: [base, checkout] });
  const [other] = flag([], { prerequisites: [{ flag: 'base', value: false }] }).flags;
  const text = describeChanges(
    await shop.plan({
      splitTests: [{ key: 'hero', variations: [variations[0], { key: 'b', weight: 3 }] }],
      flags: [other],
    }),
  );
  expect(text).toContain('\n      Weight of variation “b”: 1 → 3\n');
  expect(text).toContain('\n      Production, prerequisite base: true → false');
});
