import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { provisioningOf } from '@switchyard/testing/configuration/provision-database';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../configuration/database/database.ts';
import { databasePath, openDatabase } from '../../configuration/database/open-database.ts';
import { loadProperty } from '../../configuration/snapshot/configuration.ts';
import { configurationModel as model } from '../../start/definitions.ts';
import { DEMO_FILE, provisionDemo } from './demo-property.ts';
import { applyProvision, planProvision } from './provision-apply.ts';
import { provisionObject, readProvisionText } from './provision-file.ts';
import { ProvisionError } from './provision-mistake.ts';
import type { ProvisionChange } from './provision-plan.ts';

const SECRET = 'service_sec_backendbackend01';
const PUBLIC = 'service_pub_webwebwebwebweb01';

const SHOP = `
properties:
  - id: shop
    name: Shop
    retentionDays: 90
    allowedOrigins: [https://shop.example]
    apiKeys:
      - { kind: public, name: web, key: ${PUBLIC} }
      - { kind: secret, name: backend, key: ${SECRET} }
      - { kind: secret, name: generated }
    environments: [{ id: staging, name: Staging }]
    goals: [{ id: signup, name: Sign-ups, kind: count }, { id: revenue, kind: revenue }]
    feedbackTypes: [{ id: nps, name: NPS, options: [good, bad], textInput: true }]
    splitTests:
      - key: hero
        type: text
        status: running
        variations: [{ key: control, weight: 50, value: Buy }, { key: b, weight: 50, value: Get it }]
        goals: [signup]
    segments: [{ id: beta, match: any, conditions: [{ attribute: plan, operator: equals, values: [beta] }] }]
    flags:
      - key: new-checkout
        name: New checkout
        type: boolean
        defaultValue: false
        environments:
          production: { enabled: true, value: false, rules: [{ id: r1, conditions: [{ operator: inSegment, values: [beta] }], value: true }] }
          staging: { enabled: true, value: true }
`;

let dataDir: string;
let handle: DatabaseHandle;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-apply-'));
  handle = await openDatabase(dataDir);
});
afterEach(async () => {
  await handle.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const apply = (text: string) => applyProvision(provisioningOf(handle.database), readProvisionText(text));
const plan = (text: string) => planProvision(provisioningOf(handle.database), readProvisionText(text));
const actions = (changes: readonly ProvisionChange[]) =>
  changes
    .filter(({ action }) => action !== 'unchanged')
    .map(({ action, entity, id }) => `${action} ${entity} ${id}`);

async function state() {
  const properties = [];
  for (const stored of await model.property.rows.list(handle.database)) {
    properties.push(await loadProperty(handle.database, model, stored));
  }
  return { properties, keys: properties.flatMap(({ apiKeys }) => apiKeys) };
}

async function mistakesOf(text: string): Promise<string[]> {
  const error = await apply(text).then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(ProvisionError);
  return error.message.split('\n');
}

describe('apply', () => {
  test('creates the entries of the file, with defaults for missing fields', async () => {
    const { changes, generatedKeys } = await apply(SHOP);
    expect(actions(changes)).toEqual([
      'create property shop',
      'create environment staging',
      'create goal signup',
      'create goal revenue',
      'create feedbackType nps',
      'create segment beta',
      'create splitTest hero',
      'create flag new-checkout',
      'create apiKey public web',
      'create apiKey secret backend',
      'create apiKey secret generated',
    ]);
    const { properties, keys } = await state();
    expect(properties).toMatchObject([
      {
        name: 'Shop',
        retentionDays: 90,
        allowedOrigins: ['https://shop.example'],
        environments: [
          { id: 'production', name: 'Production' },
          { id: 'staging', name: 'Staging' },
        ],
        goals: [
          { id: 'signup', name: 'Sign-ups', kind: 'count' },
          { id: 'revenue', name: 'revenue', kind: 'revenue' },
        ],
        splitTests: [
          { id: /^tst_/, key: 'hero', hashSeed: /^[0-9a-f]{16}$/, trafficAllocation: 100, goals: ['signup'] },
        ].map((test) => ({
          ...test,
          id: expect.stringMatching(test.id),
          hashSeed: expect.stringMatching(test.hashSeed),
        })),
        flags: [
          {
            id: expect.stringMatching(/^flg_/),
            version: 1,
            configurations: [
              {
                id: expect.stringMatching(/^cfg_/),
                environmentId: 'production',
                enabled: true,
                prerequisites: [],
              },
              { environmentId: 'staging', value: true, rules: [] },
            ],
          },
        ],
      },
    ]);
    expect(generatedKeys).toEqual([
      { propertyId: 'shop', kind: 'secret', name: 'generated', text: expect.stringMatching(/^service_sec_/) },
    ]);
    expect(keys).toMatchObject([
      { name: 'web', publicKey: PUBLIC },
      { name: 'backend', publicKey: null, lastFour: 'nd01' },
      { name: 'generated', publicKey: null },
    ]);
  });

  test('applying twice changes nothing and writes nothing', async () => {
    await apply(SHOP);
    const before = await state();
    const connection = new DatabaseSync(databasePath(dataDir));
    const version = () => connection.prepare('pragma data_version').get().data_version;
    const unchanged = version();
    const { changes, generatedKeys } = await apply(SHOP);
    expect(actions(changes)).toEqual([]);
    expect(generatedKeys).toEqual([]);
    expect(await state()).toEqual(before);
    expect(version()).toBe(unchanged);
    await apply(SHOP.replace('Get it', 'Take it'));
    expect(version()).not.toBe(unchanged);
    connection.close();
  });

  test('keeps everything that the file does not mention, down to single fields', async () => {
    await apply(SHOP);
    const before = (await state()).properties[0];
    const { changes } = await apply(`
properties:
  - id: shop
    splitTests: [{ key: hero, status: paused }]
    flags: [{ key: new-checkout, environments: { staging: { enabled: false } } }]
`);
    expect(changes.filter((change) => change.action !== 'unchanged')).toMatchObject([
      { entity: 'splitTest', id: 'hero', fields: [{ field: 'status', from: 'running', to: 'paused' }] },
      { entity: 'flag', fields: [{ field: 'environments.staging.enabled', from: true, to: false }] },
    ]);
    const after = (await state()).properties[0];
    const pauses = [{ from: expect.any(Number), to: null }];
    const phases = before?.splitTests[0]?.phases.map((phase) => ({ ...phase, pauses }));
    expect(after?.splitTests).toEqual([{ ...before?.splitTests[0], version: 2, status: 'paused', phases }]);
    expect(after?.flags[0]?.configurations).toEqual([
      before?.flags[0]?.configurations[0],
      { ...before?.flags[0]?.configurations[1], enabled: false },
    ]);
    expect(after?.flags[0]?.version).toBe(2);
    expect({ ...after, splitTests: 0, flags: 0, version: 0 }).toEqual({
      ...before,
      splitTests: 0,
      flags: 0,
      version: 0,
    });
  });

  test('null removes a limit', async () => {
    await apply(SHOP);
    await apply('properties: [{ id: shop, retentionDays: null, allowedOrigins: null }]');
    expect((await state()).properties).toMatchObject([
      { retentionDays: null, allowedOrigins: null, name: 'Shop' },
    ]);
  });

  test('the order of fields is ignored, the order of lists is not', async () => {
    const rule = (text: string) => `
properties: [{ id: p, flags: [{ key: f, type: string, defaultValue: a, environments: { production: { rules: [${text}] } } }] }]`;
    await apply(rule('{ id: r, value: b, rollout: { percentage: 5 } }, { id: s, value: c }'));
    expect(
      actions(
        (await apply(rule('{ value: b, rollout: { percentage: 5 }, id: r }, { id: s, value: c }'))).changes,
      ),
    ).toEqual([]);
    expect(
      actions(
        (await apply(rule('{ id: s, value: c }, { id: r, value: b, rollout: { percentage: 5 } }'))).changes,
      ),
    ).toEqual(['update flag f']);
  });

  test('the demo generates two keys', async () => {
    const result = await provisionDemo(provisioningOf(handle.database));
    expect(result.generatedKeys.map((key) => key.kind)).toEqual(['public', 'secret']);
    const again = await applyProvision(provisioningOf(handle.database), provisionObject(DEMO_FILE));
    expect(actions(again.changes)).toEqual([]);
    expect((await state()).properties).toMatchObject([
      {
        id: 'demo',
        splitTests: [{ status: 'running' }],
        flags: [{}],
        goals: [{ kind: 'count' }, { kind: 'revenue' }],
      },
    ]);
  });
});

describe('plan', () => {
  test('lists the changes that apply then makes, and changes nothing', async () => {
    await apply(SHOP);
    const text = SHOP.replace('name: Shop', 'name: Shop 2')
      .replace('Get it', 'Take it')
      .replace('id: staging, name: Staging', 'id: staging, name: Stage')
      .replace('options: [good, bad]', 'options: [good, bad, ugly]')
      .replace(SECRET, 'service_sec_anotheranother02');
    const before = await state();
    const planned = await plan(text);
    expect(await state()).toEqual(before);
    const { changes } = await apply(text);
    expect(JSON.parse(JSON.stringify(changes))).toEqual(JSON.parse(JSON.stringify(planned)));
    expect(actions(planned)).toEqual([
      'update property shop',
      'update environment staging',
      'update feedbackType nps',
      'update splitTest hero',
      'update apiKey secret backend',
    ]);
  });

  test('does not show secrets', async () => {
    expect(JSON.stringify(await plan(SHOP))).not.toContain(SECRET);
    await apply(SHOP);
    const planned = await plan(SHOP.replace(SECRET, 'service_sec_anotheranother02'));
    expect(planned.filter((change) => change.action !== 'unchanged')).toMatchObject([
      {
        id: 'secret backend',
        fields: [{ field: 'key', from: 'service_sec_back…nd01', to: 'service_sec_anot…er02' }],
      },
    ]);
  });
});

describe('keys', () => {
  const keys = (...entries: string[]) => `properties: [{ id: shop, apiKeys: [${entries.join(', ')}] }]`;

  test('a new text with the same kind and name replaces the old one', async () => {
    await apply(keys(`{ kind: secret, name: a, key: ${SECRET} }`));
    await apply(keys('{ kind: secret, name: a, key: service_sec_anotheranother02 }'));
    expect((await state()).keys).toMatchObject([{ name: 'a', lastFour: 'er02' }]);
  });

  test('the same text with another name renames the key', async () => {
    await apply(keys(`{ kind: secret, name: a, key: ${SECRET} }`));
    await apply(keys(`{ kind: secret, name: b, key: ${SECRET} }`));
    expect((await state()).keys).toMatchObject([{ name: 'b', lastFour: 'nd01' }]);
  });

  test('mistakes are reported without revealing other keys', async () => {
    await apply(keys(`{ kind: secret, name: a, key: ${SECRET} }`, '{ kind: secret, name: b }'));
    const mistakes = await mistakesOf(`
properties:
  - id: blog
    apiKeys:
      - { kind: secret, name: x, key: ${SECRET} }
      - { kind: public, name: x, key: service_sec_0123456789abcdef }
      - { kind: public, name: short, key: service_pub_short }
      - { kind: public, name: short }
  - id: shop
    apiKeys:
      - { kind: secret, name: b, key: ${SECRET} }
      - { kind: secret, name: c, key: service_sec_0123456789abcdef }
`);
    expect(mistakes).toEqual([
      'line 5, column 34: /properties/0/apiKeys/0/key is already in use; omit it to have one generated',
      'line 6, column 34: /properties/0/apiKeys/1/key is a secret key, but its kind is public',
      expect.stringMatching(/^line 7, .* must be "service_pub_" or "service_sec_" followed by 16 to 128/),
      'line 8, column 25: /properties/0/apiKeys/3/name "short" is already used by another public key in this list',
      'line 11, column 25: /properties/1/apiKeys/0/name "b" is already used by another stored secret key; delete that key first',
      'line 11, column 34: /properties/1/apiKeys/0/key is used more than once in this file; keys must be unique',
      'line 12, column 34: /properties/1/apiKeys/1/key is used more than once in this file; keys must be unique',
    ]);
  });
});

describe('a file with mistakes', () => {
  const BROKEN = `
properties:
  - id: shop
    nmae: Shop
    retentionDays: 0
    allowedOrigins: [https://shop.example/, "*", shop.example]
    goals: [{ id: signup, kind: cuont }, { id: revenue, kind: revenue }, { id: revenue, kind: revenue }, { id: new }]
    splitTests:
      - key: hero
        type: json
        trafficAllocation: 101
        variations: [{ key: a, weight: 0, value: '{"a":' }, { key: a, weight: 0, value: "1" }, { key: "b b", weight: x }]
        goals: [signup, unknown]
      - key: empty
        variations: []
      - { key: bare }
      - { key: idle, type: id, variations: [{ key: a, weight: 0 }] }
    flags:
      - key: f
        type: boolean
        defaultValue: maybe
        environments:
          prodction: { enabled: true }
          production:
            rules:
              - { id: r, value: text, conditions: [{ attribute: a, operator: matches, values: ["(?=a)"] }] }
              - { id: r, value: true, conditions: [{ operator: inSegment, values: [nobody] }, { operator: eqals }] }
            prerequisites: [{ flag: f, value: true }, { flag: ghost, value: true }]
      - { key: g }
  - id: shop
  - { name: Nameless }
`;

  test('rejects a pattern that would be slow to match', async () => {
    const rule = (pattern: string) => ({
      id: 'r',
      value: true,
      conditions: [{ attribute: 'a', operator: 'matches', values: ['^ok$', pattern] }],
    });
    const flag = (pattern: string) => ({
      key: 'f',
      type: 'boolean',
      defaultValue: false,
      environments: { production: { rules: [rule(pattern)] } },
    });
    const file = (pattern: string) => JSON.stringify({ properties: [{ id: 'new', flags: [flag(pattern)] }] });
    await apply(file('[ab]*a[ab]{450}[cd]'));
    expect(await mistakesOf(file('(?:[ab]*a[ab]{0,200}){2}[cd]'))).toEqual([
      expect.stringMatching(
        /\/conditions\/0\/values\/1 invalid pattern: it takes \d+ steps, at most 500 are/,
      ),
    ]);
  });

  test('reports every mistake at once, with its line', async () => {
    expect(await mistakesOf(BROKEN)).toEqual([
      'line 4, column 5: /properties/0/nmae is an unknown field; did you mean "name"?',
      'line 5, column 5: /properties/0/retentionDays must be at least 1',
      'line 6, column 22: /properties/0/allowedOrigins/0 must be an origin like https://shop.example, without a path or a trailing slash',
      'line 6, column 45: /properties/0/allowedOrigins/1 must be an origin like https://shop.example, without a path or a trailing slash',
      'line 6, column 50: /properties/0/allowedOrigins/2 must be an origin like https://shop.example, without a path or a trailing slash',
      'line 7, column 27: /properties/0/goals/0/kind must be one of count, revenue',
      'line 7, column 76: /properties/0/goals/2/id "revenue" is already in this list',
      'line 7, column 106: /properties/0/goals/3/kind is missing: a new goal needs a kind, count or revenue',
      'line 11, column 9: /properties/0/splitTests/0/trafficAllocation must be at most 100',
      'line 12, column 43: /properties/0/splitTests/0/variations/0/value is not valid JSON text',
      'line 12, column 63: /properties/0/splitTests/0/variations/1/key "a" is already used by another variation',
      expect.stringMatching(/^line 12, .*variations\/2\/key must be 1 to 128 letters/),
      'line 12, column 110: /properties/0/splitTests/0/variations/2/weight must be a number, not a string',
      'line 13, column 25: /properties/0/splitTests/0/goals/1 "unknown" is not a goal of this property',
      'line 14, column 9: /properties/0/splitTests/1/type is missing: a new split test needs a type, id, text or json',
      'line 15, column 9: /properties/0/splitTests/1/variations must have at least 1 item',
      'line 16, column 9: /properties/0/splitTests/2/type is missing: a new split test needs a type, id, text or json',
      'line 16, column 9: /properties/0/splitTests/2/variations is missing: a new split test needs at least one variation',
      'line 17, column 32: /properties/0/splitTests/3/variations must have at least one weight above 0',
      'line 21, column 9: /properties/0/flags/0/defaultValue must be a boolean',
      'line 23, column 11: /properties/0/flags/0/environments/prodction "prodction" is not an environment of this property',
      'line 26, column 26: /properties/0/flags/0/environments/production/rules/0/value must be a boolean',
      expect.stringMatching(/^line 26, .*rules\/0\/conditions\/0\/values\/0 invalid pattern: .*\(\?=/),
      'line 27, column 19: /properties/0/flags/0/environments/production/rules/1/id duplicate rule "r"',
      'line 27, column 84: /properties/0/flags/0/environments/production/rules/1/conditions/0/values/0 unknown segment "nobody"',
      expect.stringMatching(/^line 27, .*rules\/1\/conditions\/1\/operator must be one of equals, /),
      'line 28, column 13: /properties/0/flags/0/environments/production/prerequisites flag "f" is part of a cycle: f',
      'line 28, column 57: /properties/0/flags/0/environments/production/prerequisites/1/flag unknown flag "ghost"',
      'line 29, column 9: /properties/0/flags/1/type is missing: a new flag needs a type, boolean or string',
      'line 29, column 9: /properties/0/flags/1/defaultValue is missing: a new flag needs a default value',
      'line 30, column 5: /properties/1/id "shop" is already in this list',
      'line 31, column 5: /properties/2 is missing "id"',
    ]);
  });

  test('changes nothing', async () => {
    await apply(SHOP);
    const before = await state();
    await mistakesOf(BROKEN);
    await mistakesOf(SHOP.replace('Get it', 'Changed').replace('goals: [signup]', 'goals: [nothing]'));
    expect(await state()).toEqual(before);
  });

  test('may refer to stored entries, but not break them', async () => {
    await apply(SHOP);
    await apply(`
properties:
  - id: shop
    splitTests: [{ key: second, type: id, variations: [{ key: a, weight: 1 }], goals: [revenue, signup] }]
    flags:
      - key: second
        type: boolean
        defaultValue: false
        environments: { staging: { rules: [{ id: r, value: true, conditions: [{ operator: inSegment, values: [beta] }] }], prerequisites: [{ flag: new-checkout, value: true }] } }
`);
    expect(
      await mistakesOf(`
properties:
  - id: shop
    goals: [{ id: signup, kind: revenue }]
    splitTests: [{ key: hero, type: json }]
    flags:
      - { key: new-checkout, type: string }
      - { key: new-checkout }
`),
    ).toEqual([
      'line 4, column 27: /properties/0/goals/0/kind cannot change from "count"; create a goal with another id instead',
      'line 5, column 18: /properties/0/splitTests/0/variations/0/value is not valid JSON text',
      'line 5, column 18: /properties/0/splitTests/0/variations/1/value is not valid JSON text',
      'line 5, column 31: /properties/0/splitTests/0/type cannot change: the test has started and is running',
      'line 7, column 30: /properties/0/flags/0/type cannot change from "boolean"; create a flag with another key instead',
      'line 8, column 11: /properties/0/flags/1/key duplicate flag "new-checkout"',
    ]);
    expect(
      await mistakesOf(`
properties:
  - id: shop
    flags: [{ key: new-checkout, environments: { staging: { prerequisites: [{ flag: second, value: true }] } } }]
`),
    ).toEqual([
      expect.stringMatching(
        /^line 3, column 5: \/properties\/0 would break the stored flag "second": .* is part of a cycle/,
      ),
      expect.stringMatching(/^line 4, .*prerequisites flag "new-checkout" is part of a cycle/),
    ]);
  });
});
