import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const LIBRARIES = [
  'isbot',
  're2js',
  'react',
  '@openfeature/core',
  '@openfeature/server-sdk',
  '@types/node',
  '@types/react',
  'undici-types',
  'csstype',
];

let project: string;
let installed: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'switchyard-package-'));
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], {
    cwd: PACKAGE,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  installed = join(project, 'node_modules/@switchyard/sdk');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(project, filename), '-C', installed, '--strip-components=1']);
  for (const library of LIBRARIES) {
    const link = join(project, 'node_modules', library);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(MODULES, library), link);
  }
  writeFileSync(join(project, 'package.json'), '{ "private": true }');
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const ENTRIES = {
  browser: ['createSwitchyard'],
  'split-testing': ['createSplitTesting'],
  relay: ['createSwitchyard'],
  private: ['createSwitchyard'],
  node: ['createSwitchyard'],
  openfeature: ['SwitchyardProvider'],
  react: ['SwitchyardProvider', 'useSplitTest', 'useTrack', 'useFlag', 'useFeedback'],
};

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.\w+$/.test(file));
}

function run(file: string, code: string) {
  writeFileSync(join(project, file), code);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd: project, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describe('the published package', () => {
  it('contains the built files and nothing else', () => {
    const published = files(installed);
    expect(published.filter((file) => /\.test\.|^src|testing\/|tsbuildinfo/.test(file))).toEqual([]);
    const scripts = (format: string) =>
      published.filter((file) => file.startsWith(`dist/${format}/`) && file.endsWith('.js'));
    // An extra file on either side would be left over from another build.
    expect(
      scripts('esm')
        .map((file) => file.slice(9))
        .sort(),
    ).toEqual(
      scripts('cjs')
        .map((file) => file.slice(9))
        .sort(),
    );
    expect(published).toContain('dist/sdk.js');
    expect(published).toContain('dist/sdk-debug.js');
    expect(published).toContain('dist/sdk-loader.js');
    expect(published).toContain('dist/sdk-relay.js');
    expect(published).toContain('dist/sdk-private.js');
    expect(published).toContain('README.md');
    expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toContain('MIT License');
  });

  it('explains its entries if it is imported or required without one', () => {
    const explanation = /has no exports\. Import one of its entries: `@switchyard\/sdk\/browser`/;
    for (const [file, code] of [
      ['root.mjs', `import { createSwitchyard } from '@switchyard/sdk'; createSwitchyard();`],
      ['root.cjs', `require('@switchyard/sdk').createSwitchyard();`],
    ] as const) {
      const { status, output } = run(file, code);
      expect(status).toBe(1);
      expect(output).toMatch(explanation);
    }
  });

  it.each(Object.entries(ENTRIES))('%s can be imported and required', (entry, names) => {
    const print = `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => typeof sdk[name])));`;
    const functions = `${JSON.stringify(names.map(() => 'function'))}\n`;
    const imported = run(`${entry}.mjs`, `import * as sdk from '@switchyard/sdk/${entry}';\n${print}`);
    expect(imported).toEqual({ status: 0, output: functions });
    const required = run(`${entry}.cjs`, `const sdk = require('@switchyard/sdk/${entry}');\n${print}`);
    expect(required).toEqual({ status: 0, output: functions });
  });

  it('works as ES module and as CommonJS: flags return their fallback without a service', () => {
    const use = `
      const switchyard = createSwitchyard({ apiUrl: 'http://127.0.0.1:9', secretApiKey: 'service_sec_x', propertyId: 'p' });
      console.log(switchyard.flags.boolean('a', true), switchyard.flags.details('a', 'x').errorCode);`;
    const output = 'true PROVIDER_NOT_READY\n';
    expect(run('use.mjs', `import { createSwitchyard } from '@switchyard/sdk/node';${use}`)).toEqual({
      status: 0,
      output,
    });
    expect(run('use.cjs', `const { createSwitchyard } = require('@switchyard/sdk/node');${use}`)).toEqual({
      status: 0,
      output,
    });
  });

  it.each(['esm', 'cjs'])('%s: bundlers leave the import of the debugging tools alone', (format) => {
    for (const entry of ['browser', 'relay']) {
      const code = readFileSync(join(installed, `dist/${format}/browser/${entry}.js`), 'utf8');
      const [annotations] = /import\((?:\s*\/\*.*?\*\/)*/s.exec(code) ?? [''];
      for (const name of ['@vite-ignore', 'webpackIgnore: true', 'turbopackIgnore: true']) {
        expect(annotations, entry).toContain(name);
      }
    }
  });

  it('has declarations that do not refer to unpublished packages', () => {
    const declarations = files(installed).filter((file) => file.endsWith('.d.ts'));
    expect(declarations.length).toBeGreaterThan(10);
    const wrong = declarations.filter((file) => {
      const text = readFileSync(join(installed, file), 'utf8');
      return text.includes('@switchyard/core') || /from '\.[^']*\.ts'/.test(text);
    });
    expect(wrong).toEqual([]);
  });
});

/** Compiler errors of a consumer, as ES module and as CommonJS. */
function compile(code: string, overrides: object = {}): string {
  const options = {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    jsx: 'react-jsx',
    ...overrides,
  };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['consumer.mts', 'consumer.cts'] }),
  );
  writeFileSync(join(project, 'consumer.mts'), code);
  writeFileSync(join(project, 'consumer.cts'), code);
  const { stdout } = spawnSync(join(MODULES, '.bin/tsc'), ['-p', project], {
    cwd: project,
    encoding: 'utf8',
  });
  // Errors in the declarations of other libraries are not ours.
  return stdout
    .split('\n')
    .filter((line) => /^(consumer|.*@switchyard\/sdk)/.test(line))
    .join('\n');
}

const CONSUMER = `/// <reference types="@switchyard/sdk/sdk.js" />
  import { createSwitchyard as ofNoEntry } from '@switchyard/sdk';
  import { createSwitchyard, type JsonValue, type Result } from '@switchyard/sdk/node';
  import { SwitchyardProvider } from '@switchyard/sdk/openfeature';
  import * as browser from '@switchyard/sdk/browser';
  import * as splitTesting from '@switchyard/sdk/split-testing';
  import * as react from '@switchyard/sdk/react';
  import * as relay from '@switchyard/sdk/relay';
  import { createServer, type IncomingMessage } from 'node:http';
  interface Shop {
    splitTests: { hero: string; pricing: { price: number }; layout: 'control' | 'b' };
    flags: { 'new-checkout': boolean; banner: string; price: number; plans: { names: string[] }; extra: JsonValue };
    goals: { signup: 'count'; revenue: 'revenue' };
    feedbackTypes: { nps: 'good' | 'bad' };
  }
  const options = { apiUrl: 'https://switchyard.example', secretApiKey: 'service_sec_…', propertyId: 'shop' };
  const typed = createSwitchyard<Shop>(options);
  const open = createSwitchyard(options);
  const scriptPage = window.switchyard?.createSwitchyard({ apiUrl: '', publicApiKey: '', propertyId: '' });
  export const label: string | undefined = scriptPage?.splitTest.get('hero', 'Buy');
  const relayed = relay.createSwitchyard<Shop>({ relayUrl: '/sy', propertyId: 'shop' });
  const { useFlag, useFeedback } = react.createHooks<Shop>();
  export const handler = typed.relay({
    flags: ['new-checkout'],
    feedback: ['nps'],
    goals: ['signup'],
    context: (request: IncomingMessage) => ({ userId: request.headers['x-user'] as string }),
  });
  export const server = createServer(handler);
  export async function usePage(): Promise<boolean> {
    const isNew: boolean = relayed.flags.get('new-checkout', false);
    const banner: string | null = relayed.flags.get('banner', null);
    const hook: boolean = useFlag('new-checkout', true);
    const names: string[] = useFlag('plans', { names: [] }).names;
    const relayedPrice: number = relayed.flags.get('price', names.length);
    if (relayedPrice > 5) return false;
    await useFeedback('nps')({ option: 'good', message: banner ?? '' });
    const result = await relayed.feedback.submit('nps', { option: 'bad' });
    return (await relayed.goals.increment('signup')).success && !(result.success || result.queued) && isNew && hook;
  }
  export const uses = [ofNoEntry, browser, splitTesting, react, new SwitchyardProvider(typed), new SwitchyardProvider(options)];
  export async function use(request: Request): Promise<Result | undefined> {
    const flag: boolean = typed.flags.boolean('new-checkout', false, { userId: 'u' });
    const banner: string = typed.flags.string('banner', 'none');
    const flagPrice: number = typed.flags.number('price', 9.9);
    const plans: string[] = typed.flags.json('plans', { names: [] }, { userId: 'u' }).names;
    const extra: JsonValue = typed.flags.json('extra', null);
    const ofFallback: { a: number } = open.flags.json('whatever', { a: 1 });
    if (flagPrice > 5) console.log(plans, extra, ofFallback);
    const why: boolean = typed.flags.details('new-checkout', true).value;
    const all: Partial<Shop['flags']> = typed.flags.all();
    const anyFlag: boolean = open.flags.boolean('whatever', flag);
    const tests = await typed.splitTest.forRequest(request);
    const price: { price: number } | null = tests.get('pricing', null);
    const layout: 'control' | 'b' = tests.get('layout', 'control');
    for await (const page of typed.sessions.iterate({ goalId: 'signup' })) {
      if (page.success) console.log(page.sessions[0]?.durationMs, banner, why, all, anyFlag, price, layout);
      else return page;
    }
    const { goals, feedback } = typed.forRequest(request);
    await feedback.submit('nps', { option: 'good' });
    return goals.increment('revenue', { amount: 5 });
  }
`;

describe('types', () => {
  it('compile as ES module and as CommonJS', () => {
    expect(compile(CONSUMER)).toBe('');
  });

  it.each([{ module: 'nodenext' }, { module: 'esnext', moduleResolution: 'bundler' }])(
    'compile without those of Node.js, with %o',
    (resolution) => {
      const entries = Object.keys(ENTRIES).filter((entry) => entry !== 'openfeature');
      const code = entries.map(
        (entry, index) => `import * as entry${index} from '@switchyard/sdk/${entry}'; void entry${index};`,
      );
      const relay = `const relay = entry${entries.indexOf('node')}.createSwitchyard({ apiUrl: '', secretApiKey: '', propertyId: '' }).relay({});
      export const response: Promise<Response> = relay.fetch(new Request('/'));`;
      expect(compile([...code, relay].join('\n'), { ...resolution, types: [] })).toBe('');
    },
  );

  it('exist for the scripts', () => {
    const page = `/// <reference types="@switchyard/sdk/sdk-relay.js" />
      import { attach } from '@switchyard/sdk/sdk-debug.js';
      const client = window.switchyard?.createSwitchyard({ relayUrl: '/sy', propertyId: 'shop' });
      export const isNew: boolean | undefined = client?.flags.get('new-checkout', false);
      export const records: void = attach([], { apiUrl: '', publicApiKey: '', propertyId: '' });`;
    expect(compile(page, { types: [] })).toBe('');
    expect(compile(page.replace(`'/sy'`, '7'), { types: [] })).toMatch(/^consumer\.mts\(3,/m);
  });

  it('reject keys, options and types that do not exist', () => {
    const mistakes = [
      'ofNoEntry(options);',
      `typed.flags.boolean('new-chekout', false);`,
      `typed.flags.boolean('banner', false);`,
      `typed.flags.string('banner', 7);`,
      `typed.flags.number('banner', 7);`,
      `typed.flags.json('price', 7);`,
      `typed.flags.json('plans', { name: [] });`,
      `typed.flags.details('price', 'cheap');`,
      `typed.flags.details('banner', true);`,
      `void typed.goals.increment('sign-up');`,
      `void typed.feedback.submit('nps', { option: 'meh' });`,
      `void typed.feedback.submit('npss', { option: 'good' });`,
      `void typed.splitTest.forRequest('').then((tests) => tests.get('heroo', ''));`,
      `void typed.sessions.list({ goalId: 'nothing' });`,
      `typed.relay({ flags: ['new-chekout'] });`,
      `relayed.flags.get('new-chekout', false);`,
      `void relayed.feedback.submit('nps', { option: 'meh' });`,
      `useFlag('banner', true);`,
      `void typed.forRequest('').goals.increment('sign-up');`,
    ];
    const lines = compile(`${CONSUMER}\n${mistakes.join('\n')}`).split('\n');
    const first = CONSUMER.split('\n').length + 1;
    const wrong = mistakes.filter(
      (_, index) => !lines.some((line) => line.startsWith(`consumer.mts(${first + index},`)),
    );
    expect(wrong, lines.join('\n')).toEqual([]);
    expect(lines.filter((line) => line.startsWith('consumer.cts')).length).toBe(mistakes.length);
  });
});
