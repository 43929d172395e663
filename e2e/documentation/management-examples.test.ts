import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { transformWithOxc } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asShown } from '../support/snippets/as-shown.ts';
import { ROOT, snippetsOf } from '../support/snippets/snippets.ts';

const run = promisify(execFile);
const PAGE = 'docs/guides/management-api.md';
const document = readFileSync(join(ROOT, PAGE), 'utf8');
const NODE_MODULES = join(ROOT, 'node_modules');
const ADDRESS = 'http://127.0.0.1:8080';

interface Example {
  line: number;
  language: 'sh' | 'ts';
  code: string;
  /** What the page shows as the response. */
  response: unknown;
}

/** The examples of the page, in order; a JSON block belongs to the one before it. */
function examplesOf(page: string): Example[] {
  const examples: Example[] = [];
  for (const { line, language, code, place } of snippetsOf(page)) {
    if (language === 'json') examples.at(-1)!.response = JSON.parse(code);
    else if (language === 'sh' || language === 'ts')
      examples.push({ line, language, code, response: undefined });
    else throw new Error(`${place}: nothing runs examples in "${language}"`);
  }
  return examples;
}

/** The shell examples use `curl --json`, which versions before 7.82 do not know. */
const canRun =
  spawnSync('bash', ['--version']).status === 0 &&
  spawnSync('curl', ['--help', 'all'], { encoding: 'utf8' }).stdout?.includes('--json');

const examples = examplesOf(PAGE);
const scripts = examples.filter(({ language }) => language === 'ts');
const fileOf = (example: Example) => /^\/\/ (\w+)\.ts$/m.exec(example.code)?.[1] ?? `example-${example.line}`;

describe.skipIf(!canRun)(`the examples of ${PAGE}`, () => {
  let server: TestServer;
  let directory: string;

  beforeAll(async () => {
    const [, email = '', password = ''] = /"email":"(.*?)","password":"(.*?)"/.exec(document) ?? [];
    server = await startServer({ env: { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } });
    directory = mkdtempSync(join(tmpdir(), 'switchyard-examples-'));
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    symlinkSync(NODE_MODULES, join(directory, 'node_modules'));
    for (const script of scripts) {
      writeFileSync(join(directory, `${fileOf(script)}.ts`), script.code);
      const { code } = await transformWithOxc(script.code, `${fileOf(script)}.ts`);
      writeFileSync(join(directory, `${fileOf(script)}.js`), code);
    }
  });
  afterAll(async () => {
    await discard(server);
    rmSync(directory, { recursive: true, force: true });
  });

  /** Runs in a shell that has the variables and functions of the examples before. */
  async function inShell(code: string): Promise<string> {
    const script = `set -e\n[ ! -f state ] || . ./state\n${code}\n{ declare -px | grep SWITCHYARD_; declare -f; } > state`;
    const { stdout } = await run('bash', ['-c', script], { cwd: directory });
    return stdout;
  }

  it.each(examples)('line $line', async (example) => {
    const code =
      example.language === 'sh' ? example.code.replaceAll(ADDRESS, server.url) : `node ${fileOf(example)}.js`;
    const output = await inShell(code);
    if (example.response === undefined) return;
    // Several requests print several responses; the page shows the last one.
    const last = output.slice(output.lastIndexOf('}{') + 1);
    expect(JSON.parse(last)).toEqual(asShown(example.response));
  });

  it('are valid TypeScript', async () => {
    const options = { strict: true, target: 'es2023', module: 'nodenext', noEmit: true, types: ['node'] };
    const tsconfig = { compilerOptions: options, files: scripts.map((script) => `${fileOf(script)}.ts`) };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(tsconfig));
    const checked = await run(join(NODE_MODULES, '.bin/tsc'), ['-p', directory]).catch((error) => error);
    expect(checked.stdout).toBe('');
  });
});
