import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MemoryConfiguration, openMemoryConfiguration } from '../testing/memory-configuration.ts';
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
    .map((line) => line.trim().replace('environments.production.', ''));
}

describe('the plan of a changed rule', () => {
  beforeEach(() => shop.apply(flag([STAFF, TENTH])));

  it('names the changed field only', async () => {
    const all = { ...TENTH, rollout: { percentage: 100, by: 'userId' } };
    expect(describeChanges(await shop.plan(flag([STAFF, all])))).toBe(
      'shop:\n  ~ flag checkout\n      environments.production.rules.tenth.rollout.percentage: 10 → 100',
    );
  });

  it('names fields that are added and removed', async () => {
    const changed = { ...TENTH, name: 'Tenth', rollout: { percentage: 10 } };
    expect(await lines(flag([STAFF, changed]))).toEqual([
      'rules.tenth.rollout.by: removed "userId"',
      'rules.tenth.name: "Tenth"',
    ]);
    const { rollout: _rollout, ...everybody } = TENTH;
    expect(await lines(flag([STAFF, everybody]))).toEqual([
      'rules.tenth.rollout: removed {"percentage":10,"by":"userId"}',
    ]);
  });

  it('names conditions by their position', async () => {
    const [first, second] = STAFF.conditions;
    const conditions = [first, { ...second, values: ['team'] }, { ...second, operator: 'isSet' }];
    expect(await lines(flag([{ ...STAFF, conditions }, TENTH]))).toEqual([
      'rules.staff.conditions.1.values: ["pro"] → ["team"]',
      'rules.staff.conditions.2: added {"attribute":"plan","operator":"isSet","values":["pro"]}',
    ]);
  });

  it('names added and removed rules', async () => {
    expect(await lines(flag([STAFF, { id: 'new', value: true }]))).toEqual([
      'rules.tenth: removed {"id":"tenth","rollout":{"percentage":10,"by":"userId"},"value":true}',
      'rules.new: added {"id":"new","value":true}',
    ]);
    expect(await lines(flag([]))).toHaveLength(2);
  });

  it('names a new order, also when a rule is added before others', async () => {
    expect(await lines(flag([TENTH, STAFF]))).toEqual(['rules: order ["staff","tenth"] → ["tenth","staff"]']);
    expect(await lines(flag([{ id: 'new', value: true }, STAFF, TENTH]))).toEqual([
      'rules.new: added {"id":"new","value":true}',
      'rules: order ["staff","tenth"] → ["new","staff","tenth"]',
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
  expect(text).toContain('\n      variations.b.weight: 1 → 3\n');
  expect(text).toContain('\n      environments.production.prerequisites.base.value: true → false');
});
