import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const CONFIG = 'packages/server/src/platform/settings/config.ts';

/** Files that read the environment or pass it on, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'packages/server/src/cli/options/command-options.ts':
    'names variables in the help; commander reads them, and the file parses them as config.ts does',
  'packages/dashboard/src/features/configuration/node-imports.ts':
    'reads nothing: a text, the imports of the code that the dashboard shows',
  'samples/shop/demo.js': 'a program of its own: PORT, and whether there is a display to open a browser on',
  'samples/shop/server-process.js': 'passes PATH on to the server that it starts',
  'samples/shop/past-clock.js': 'is loaded into that server before its own code; gets the name of a file',
  'tools/test.js': 'passes everything on to Vitest',
  'tools/test-nodes.js': 'passes everything on to Vitest; the directory for programs of the tests',
};

/** `process.env`, however it is reached, and options of a command that commander reads from a variable. */
const READS = [
  /\bprocess\s*(\?\.|\.)\s*env\b/,
  /\bprocess\s*(\?\.)?\[\s*['"`]env['"`]\s*\]/,
  /\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b/,
  /import\s[^;]*\benv\b[^;]*from\s+['"](node:)?process['"]/,
  /\.env\(/,
];

const readsEnvironment = (text: string) => READS.some((pattern) => pattern.test(text));
/** Tests, benchmarks and their helpers set up environments, and have settings of their own. */
const isTest = (file: string) => /\.(test|contract)\.tsx?$|\/testing\/|^(bench|checks|e2e)\//.test(file);

describe('the environment', () => {
  const readers = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => /\.([cm]?js|tsx?)$/.test(file) && !isTest(file))
    .filter((file) => readsEnvironment(readFileSync(file, 'utf8')));

  it('is read by config.ts only', () => {
    expect(readers).toContain(CONFIG);
    expect(readers.filter((file) => file !== CONFIG && !(file in EXCEPTIONS))).toEqual([]);
  });

  it('has no exception that is not needed', () => {
    expect(Object.keys(EXCEPTIONS).filter((file) => !readers.includes(file))).toEqual([]);
  });

  it.each([
    "if (process.env.WEBHOOK_ALLOW_PRIVATE === 'true') {",
    "const environment = process['env'];",
    'const { env } = process;',
    'const { env: variables, argv } = process;',
    "import { env } from 'node:process';",
    "new Option('--data-dir <directory>').env('DATA_DIR')",
    'const port = process?.env?.PORT;',
  ])('finds %j', (line) => expect(readsEnvironment(line)).toBe(true));

  it.each([
    'const server = await Server.start(dataDir, { env });',
    'const { env } = view;',
    'process.environment()',
  ])('allows %j', (line) => expect(readsEnvironment(line)).toBe(false));
});
