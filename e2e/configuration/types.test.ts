import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { switchyard } from '../support/command-line.ts';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const PROVISION = {
  properties: [
    {
      id: 'my-shop',
      splitTests: [
        { key: 'hero', type: 'text', variations: [{ key: 'control', weight: 1, value: 'Buy' }] },
        {
          key: 'layout',
          type: 'id',
          variations: [
            { key: 'control', weight: 1 },
            { key: 'wide', weight: 1 },
          ],
        },
        { key: 'pricing', type: 'json', variations: [{ key: 'control', weight: 1, value: '{"cents":999}' }] },
        { key: 'old', type: 'id', status: 'archived', variations: [{ key: 'control', weight: 1 }] },
      ],
      flags: [
        { key: 'new-checkout', type: 'boolean', defaultValue: false },
        { key: 'banner', type: 'string', defaultValue: 'none' },
        { key: 'limit', type: 'string', format: 'number', defaultValue: '5' },
        { key: 'theme', type: 'string', format: 'json', defaultValue: '{"dark":true,"colors":["red"]}' },
        {
          key: 'plans',
          type: 'string',
          format: 'json',
          schema: {
            type: 'object',
            required: ['currency'],
            properties: {
              currency: { enum: ['EUR', 'USD'] },
              prices: { type: 'array', items: { type: ['number', 'null'] } },
              'free-from': { anyOf: [{ const: false }, { type: 'integer' }] },
              more: { type: 'object' },
            },
          },
          defaultValue: '{"currency":"EUR"}',
        },
        { key: 'word', type: 'string', format: 'json', defaultValue: '"hello"' },
        { key: 'anything', type: 'string', format: 'json', schema: {}, defaultValue: 'null' },
      ],
      goals: [{ id: 'signup', kind: 'count' }],
      feedbackTypes: [{ id: 'nps', options: ['good', 'bad'], textInput: true }],
    },
  ],
};

const START = `import { createSwitchyard } from '@switchyard/sdk/browser';
import { createSwitchyard as createServerSide } from '@switchyard/sdk/node';
import { createHooks } from '@switchyard/sdk/react';
import type { MyShop } from './switchyard.ts';

const page = createSwitchyard<MyShop>({ apiUrl: '', publicApiKey: '', propertyId: '' });
const backend = createServerSide<MyShop>({ apiUrl: '', secretApiKey: '', propertyId: '' });
const { useSplitTest } = createHooks<MyShop>();
`;

const GOOD = `
export const hero: string = page.splitTest.get('hero', 'Buy');
export const layout: 'control' | 'wide' = page.splitTest.get('layout', 'control');
export const cents: number = page.splitTest.get('pricing', { cents: 1 }).cents;
export const isNew: boolean = backend.flags.boolean('new-checkout', false, {});
export const banner: string = backend.flags.string('banner', 'none', {});
export const limit: number = backend.flags.number('limit', 5, {});
export const colors: readonly string[] = backend.flags.json('theme', { dark: false, colors: [] }, {}).colors;
const plans = backend.flags.json('plans', { currency: 'USD' }, {});
export const currency: 'EUR' | 'USD' = plans.currency;
export const prices: readonly (number | null)[] | undefined = plans.prices;
export const freeFrom: number | false | undefined = plans['free-from'];
export const word: string = backend.flags.json('word', 'hi', {});
export const anything: unknown = backend.flags.json('anything', null, {});
export const signup = backend.goals.increment('signup', {});
export const submitted = backend.feedback.submit('nps', { option: 'good' });
export const shown: string = useSplitTest('hero', 'Buy');
`;

/** Each line has one type error. */
const BAD = [
  `page.splitTest.get('heroo', 'Buy');`,
  `page.splitTest.get('old', 'control');`,
  `page.splitTest.get('layout', 'narrow');`,
  `page.splitTest.get('pricing', { cent: 1 });`,
  `backend.flags.boolean('new-chekout', false, {});`,
  `backend.flags.boolean('banner', false, {});`,
  `backend.flags.number('banner', 5, {});`,
  `backend.flags.number('limit', '5', {});`,
  `backend.flags.json('limit', {}, {});`,
  `backend.flags.json('theme', { dark: 'no', colors: [] }, {});`,
  `backend.flags.json('plans', { currency: 'GBP' }, {});`,
  `backend.flags.json('plans', {}, {});`,
  `backend.flags.string('word', 'hi', {});`,
  `backend.goals.increment('signups', {});`,
  `backend.feedback.submit('nps', { option: 'fine' });`,
  `useSplitTest('heroo', 'Buy');`,
];

let folder: string;
beforeAll(() => {
  mkdirSync(at('node_modules/.cache'), { recursive: true });
  folder = mkdtempSync(at('node_modules/.cache/switchyard-types-'));
  mkdirSync(join(folder, 'node_modules/@switchyard'), { recursive: true });
  symlinkSync(at('packages/sdk'), join(folder, 'node_modules/@switchyard/sdk'));
  writeFileSync(join(folder, 'provision.json'), JSON.stringify(PROVISION));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function compile(...files: string[]): Promise<string> {
  const options = [
    '--noEmit',
    '--ignoreConfig',
    '--strict',
    '--skipLibCheck',
    '--allowImportingTsExtensions',
  ];
  const target = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom', '--types', 'node'];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [at('node_modules/typescript/bin/tsc'), ...options, ...target, ...files],
      { cwd: folder },
      (_error, stdout, stderr) => resolve(stdout + stderr),
    );
  });
}

test('`switchyard types` declares the contents of a property, so that mistakes do not compile', async () => {
  const out = join(folder, 'switchyard.ts');
  const written = await switchyard(['types', join(folder, 'provision.json'), '--out', out]);
  expect(written.code, written.output).toBe(0);
  expect(readFileSync(out, 'utf8')).toMatch(/export interface MyShop/);
  writeFileSync(join(folder, 'good.ts'), START + GOOD);
  expect(await compile('good.ts')).toBe('');
  for (const [index, line] of BAD.entries())
    writeFileSync(join(folder, `bad-${index}.ts`), `${START}${line}\n`);
  const errors = await compile(...BAD.map((_, index) => `bad-${index}.ts`));
  const line = START.split('\n').length;
  const found = BAD.filter((_, index) => errors.includes(`bad-${index}.ts(${line},`));
  expect(found).toEqual(BAD);
});

test('properties with clashing names get separate interfaces', async () => {
  const [file, out] = [join(folder, 'alike.json'), join(folder, 'alike.ts')];
  const goals = (kind: string) => [{ id: 'sale', name: 'Sale', kind }];
  const properties = [
    { id: 'shop-2', name: 'One', goals: goals('count') },
    { id: 'shop_2', name: 'Two', goals: goals('revenue') },
    { id: 'record', name: 'Three' },
  ];
  writeFileSync(file, JSON.stringify({ properties }));
  expect((await switchyard(['types', file, '--out', out])).code).toBe(0);
  expect(await compile('alike.ts')).toBe('');
  expect(readFileSync(out, 'utf8').match(/export interface \w+/g)).toEqual([
    'export interface Shop2',
    'export interface Shop2_2',
    'export interface Record_2',
  ]);
});

test('it also reads a data directory, and reports errors', async () => {
  const dataDir = join(folder, 'data');
  const env = { DATA_DIR: dataDir };
  const missing = await switchyard(['types'], { env });
  expect(missing).toMatchObject({ code: 1, stdout: '' });
  expect(missing.stderr).toMatch(/There is no configuration in/);
  expect((await switchyard(['apply', join(folder, 'provision.json')], { env })).code).toBe(0);
  const printed = await switchyard(['types', '--property', 'my-shop'], { env });
  expect(printed.stdout).toBe(readFileSync(join(folder, 'switchyard.ts'), 'utf8'));
  const unknown = await switchyard(['types', '--property', 'other'], { env });
  expect(unknown.stderr).toMatch(/There is no property "other"/);
});
