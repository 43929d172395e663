import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { ApiContract } from '@switchyard/testing/server/api-contract';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_FILE } from '../../packages/server/src/features/provisioning/demo-property.ts';
import { findChromium, type OpenBrowser, openBrowser } from '../support/chromium.ts';
import { switchyard } from '../support/command-line.ts';
import { type Site, startSite } from '../support/site.ts';
import { asShown, unknownMembers } from '../support/snippets/as-shown.ts';
import { type CodeFile, CodeProject } from '../support/snippets/code-project.ts';
import { fixtures } from '../support/snippets/fixtures.ts';
import { provisionOf } from '../support/snippets/provision-snippets.ts';
import { lastJson, runInShell, shellDirectory } from '../support/snippets/shell-session.ts';
import {
  documentationPages,
  ROOT,
  type Runner,
  runnerOf,
  type Snippet,
  snippetsOf,
  withServer,
} from '../support/snippets/snippets.ts';
import { watchConsole } from '../support/visits.ts';

const OWNER = { ADMIN_EMAIL: 'ada@shop.example', ADMIN_PASSWORD: 'correct horse battery' };
const pages = documentationPages().map((page) => ({ page, snippets: snippetsOf(page) }));
const all = pages.flatMap(({ snippets }) => snippets);
// Throws for a snippet that nothing runs.
const runners = new Map<Snippet, Runner>(all.map((snippet) => [snippet, runnerOf(snippet)]));
const runBy = (...wanted: Runner[]) => all.filter((snippet) => wanted.includes(runners.get(snippet)!));

/** The shell snippets use `curl --json`, which versions before 7.82 do not know. */
const hasShell =
  spawnSync('bash', ['--version']).status === 0 &&
  spawnSync('curl', ['--help', 'all'], { encoding: 'utf8' }).stdout?.includes('--json');
const chromium = await findChromium();

let server: TestServer;
let directory: string;
const project = new CodeProject();
const adapt = (code: string) => withServer(code, server.url, PUBLIC_KEY, SECRET_KEY);

beforeAll(async () => {
  const provision = { properties: [...SAMPLE.properties, ...DEMO_FILE.properties] };
  server = await startServer({ provision, env: OWNER });
  directory = shellDirectory();
  for (const { snippets } of pages) {
    const code = snippets.filter((snippet) => runners.get(snippet) === 'code' || isTestedCode(snippet));
    project.add(code, fixtures(server.url), adapt);
  }
});
afterAll(async () => {
  project.remove();
  rmSync(directory, { recursive: true, force: true });
  await discard(server);
});

/** Another test runs it, but later snippets may need it, and its types are checked here. */
const isTestedCode = (snippet: Snippet) =>
  runners.get(snippet) === 'another test' &&
  snippet.page !== 'docs/guides/management-api.md' &&
  /^[jt]sx?$/.test(snippet.language);

/** The code snippets that run on a platform. */
const toRun = (platform: CodeFile['platform']) =>
  project.files.filter(
    (file) =>
      file.platform === platform &&
      runners.get(file.snippet) === 'code' &&
      file.snippet.directive !== 'types',
  );

describe('snippets of the documentation', () => {
  it('that another test runs name that test, and it reads the page', () => {
    for (const { directive, page, place } of runBy('another test')) {
      const file = join(ROOT, directive!.replace('tested by ', ''));
      expect(existsSync(file) && readFileSync(file, 'utf8').includes(basename(page)), place).toBe(true);
    }
  });

  it('that quote a file agree with it', () => {
    const lines = (text: string) => text.split('\n').map((line) => line.trim());
    for (const { directive, code, place } of runBy('quotation')) {
      const file = lines(readFileSync(join(ROOT, directive!.replace('from ', '')), 'utf8')).join('\n');
      expect(file, place).toContain(lines(code).join('\n').trim());
    }
  });

  it('that are provision files have a plan', async () => {
    const file = join(directory, 'snippets.json');
    writeFileSync(file, JSON.stringify(provisionOf(runBy('yaml'))));
    const planned = await switchyard(['plan', file], { env: { DATA_DIR: server.dataDir } });
    expect(planned.code, planned.output).toBe(0);
  });

  it.each(runBy('http'))('$place is a request with a JSON body', ({ code }) => {
    const [head, body] = code.split(/\n\n/s, 2);
    expect(head).toMatch(/^(GET|POST|PUT|PATCH|DELETE) \S+ HTTP\/1\.1\n([\w-]+: .+\n?)+$/);
    if (body !== undefined) JSON.parse(code.slice(code.indexOf('\n\n')));
  });

  it('that are JSON are valid, and match the schema they name', async () => {
    const contract = await ApiContract.load(server.url);
    for (const { code, directive, place } of runBy('json')) {
      const content = JSON.parse(code);
      const [, name] = /^schema (\w+)$/.exec(directive ?? '') ?? [];
      if (name !== undefined) expect(contract.errorsOf(name, content), place).toBe('');
    }
  });

  it('compile', async () => {
    expect(await project.typeErrors()).toBe('');
  });

  it('for Node.js run without errors', async () => {
    const files = toRun('node');
    const bundles = await project.bundle(files, 'node');
    const script = fileURLToPath(new URL('../support/snippets/run-modules.js', import.meta.url));
    const env = {
      PATH: process.env.PATH,
      PORT: '0',
      WEBHOOK_SECRET: `whsec_${btoa('a secret of a webhook')}`,
      SWITCHYARD_URL: server.url,
      SWITCHYARD_SECRET_KEY: SECRET_KEY,
      SWITCHYARD_PUBLIC_KEY: PUBLIC_KEY,
    };
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...bundles], { env });
    const errors: string[][] = JSON.parse(stdout);
    expect(errors.map((each, index) => [files[index]!.snippet.place, each])).toEqual(
      files.map(({ snippet }) => [snippet.place, []]),
    );
  });
});

describe.skipIf(!hasShell)('shell snippets', () => {
  let token: string;
  beforeAll(async () => {
    token = await createToken();
  });

  async function createToken(): Promise<string> {
    const [email, password] = [OWNER.ADMIN_EMAIL, OWNER.ADMIN_PASSWORD];
    const signedIn = await server.call('POST', '/v1/manage/sign-in', { body: { email, password } });
    const cookie = signedIn.headers.get('set-cookie')!.split(';', 1)[0]!;
    const body = { name: 'Snippets', role: 'owner', expiresAt: Date.now() + 3_600_000 };
    const headers = { cookie, origin: server.url };
    return (await server.call('POST', '/v1/manage/me/tokens', { body, headers })).body.token;
  }

  const inShell = pages.filter(({ snippets }) => snippets.some((each) => runners.get(each) === 'shell'));

  it.each(inShell)('of $page run', async ({ snippets }) => {
    for (const { fileName, code } of snippets) if (fileName) writeFileSync(join(directory, fileName), code);
    const scripts = snippets.filter((each) => runners.get(each) === 'shell');
    const env = {
      DATA_DIR: server.dataDir,
      LOG_LEVEL: 'warn',
      SWITCHYARD_URL: server.url,
      KEY: PUBLIC_KEY,
      SECRET: SECRET_KEY,
      SWITCHYARD_TOKEN: token,
    };
    const outputs = await runInShell(scripts, directory, { env, adapt });
    for (const [index, snippet] of snippets.entries()) {
      const output = outputs.get(snippet.place);
      if (output !== undefined) compareOutput(output, snippet, snippets[index + 1]);
    }
  });

  /** JSON after a command is its response. */
  function compareOutput(output: string, { place }: Snippet, next: Snippet | undefined): void {
    const shown = next !== undefined && runners.get(next) === 'json' ? JSON.parse(next.code) : undefined;
    if (shown === undefined) expect(output, place).not.toContain('"type":"/docs/errors#');
    else if (next!.directive === 'example')
      expect(unknownMembers(shown, lastJson(output)), place).toEqual([]);
    else expect(lastJson(output), place).toEqual(asShown(shown));
  }
});

describe.skipIf(chromium === undefined)('snippets in a browser', () => {
  let browser: OpenBrowser;
  let site: Site;
  let scripts: { place: string; code: string }[];

  beforeAll(async () => {
    [browser, site] = await Promise.all([openBrowser(chromium!), startSite()]);
    const files = toRun('browser');
    const bundles = await project.bundle(files, 'browser');
    scripts = files.map(({ snippet }, index) => ({
      place: snippet.place,
      code: readFileSync(bundles[index]!, 'utf8'),
    }));
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  /** Opens a page until it is quiet, or has recorded the visit; returns its console output. */
  async function visit(html: string, until: 'quiet' | 'recorded') {
    const context = await browser.newContext();
    const page = await context.newPage();
    const messages = watchConsole(page);
    const recorded = page.waitForResponse(
      (response) => /\/(expose|collect)$/.test(response.url()) && response.status() === 200,
    );
    const failed = page.waitForEvent('pageerror');
    for (const event of [recorded, failed]) event.catch(() => {});
    await page.goto(site.put('/snippet', html));
    if (until === 'recorded') await Promise.race([recorded, failed]);
    else await page.waitForLoadState('networkidle');
    await context.close();
    return messages;
  }

  it.each(runBy('html'))('$place is a page that records a visit', async ({ code }) => {
    expect(await visit(adapt(code), 'recorded')).toEqual([]);
  });

  it('that are scripts run without errors', async () => {
    for (const { place, code } of scripts) {
      const script = `<script type="module">${code.replaceAll('</script', '<\\/script')}</script>`;
      const body = `<body><div id="root"></div><button id="buy">Buy</button>${script}</body>`;
      expect([place, await visit(`<!doctype html><title>Snippet</title>${body}`, 'quiet')]).toEqual([
        place,
        [],
      ]);
    }
  });
});
