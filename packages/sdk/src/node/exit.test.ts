import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const BUILT = new URL('../../dist/esm/node/node.js', import.meta.url).href;

let shop: Shop;
let directory: string;
beforeAll(async () => {
  shop = await openShop();
  directory = mkdtempSync(join(tmpdir(), 'switchyard-sdk-'));
});
afterAll(async () => {
  await closeShop(shop);
  rmSync(directory, { recursive: true, force: true });
});

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string[];
}

let programs = 0;

interface RunOptions {
  /** Sent when the program prints `ready`. */
  signal?: NodeJS.Signals;
  apiUrl?: string;
  /** Awaited after a line `host: …`, before the program is told to exit. */
  done?: () => Promise<void>;
}

/** Runs a program that uses the built SDK. */
async function run(
  program: string,
  { signal, apiUrl = shop.server.url, done }: RunOptions = {},
): Promise<Exit> {
  const file = join(directory, `program-${++programs}.mjs`);
  const options = { apiUrl, secretApiKey: SECRET_KEY, publicApiKey: PUBLIC_KEY, propertyId: 'shop' };
  writeFileSync(
    file,
    `import { createSwitchyard } from ${JSON.stringify(BUILT)};
     const options = ${JSON.stringify(options)};
     ${program}`,
  );
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output.push(line);
      if (line === 'ready' && signal) child.kill(signal);
      if (line.startsWith('host:')) void done?.().finally(() => child.kill('SIGUSR2'));
    });
  }
  const [code, ended] = await once(child, 'close');
  return { code, signal: ended, output };
}

const readTest = (sessionId: string) => `
  const switchyard = createSwitchyard(options);
  const tests = await switchyard.splitTest.forRequest('sy_visitor=visitor-exit; sy_session=${sessionId}');
  tests.get('hero', 'x');
  console.log('ready');
`;
const exposures = (sessionId: string) => shop.timeline(sessionId, 'exposure');

describe('process exit', () => {
  it('is not delayed by an open stream or timers', async () => {
    const ended = await run(`
      const switchyard = createSwitchyard(options);
      console.log((await switchyard.ready()).success);
      await new Promise((resolve) => setTimeout(resolve, 200));
      console.log(switchyard.flags.string('banner', 'x'), process.listenerCount('SIGTERM'));
    `);
    expect(ended).toEqual({ code: 0, signal: null, output: ['true', 'spring 0'] });
  });

  it('waits for exposures', async () => {
    expect(await run(readTest('session-end'))).toMatchObject({ code: 0, signal: null });
    expect(await exposures('session-end')).toHaveLength(1);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s: sends pending events, then exits with the signal',
    async (signal) => {
      const ended = await run(`${readTest(`session-${signal}`)} setInterval(() => {}, 1000);`, { signal });
      expect(ended).toMatchObject({ code: null, signal });
      expect(await exposures(`session-${signal}`)).toHaveLength(1);
    },
  );

  it.each(['once', 'on'])('is left to a host that handles the signal itself (%s)', async (method) => {
    const sessionId = `session-host-${method}`;
    const ended = await run(
      `process.${method}('SIGTERM', () => console.log('host:', process.listenerCount('SIGTERM')));
       process.on('SIGUSR2', () => process.exit(7));
       ${readTest(sessionId)}
       setInterval(() => {}, 1000);`,
      {
        signal: 'SIGTERM',
        done: async () => {
          await waitFor('the exposure', async () => !(await shop.isUnknown(sessionId)));
        },
      },
    );
    expect(ended).toMatchObject({ code: 7, signal: null });
    // Our listener is removed by then: hosts that count listeners see only their own.
    expect(ended.output).toContain(`host: ${method === 'once' ? 0 : 1}`);
    expect(await exposures(sessionId)).toHaveLength(1);
  });

  it('waits for goals that are not awaited', async () => {
    const ended = await run(
      `const switchyard = createSwitchyard({ ...options, evaluation: 'remote' });
       void switchyard.goals.increment('signup', { sessionId: 'session-unawaited' });
       setInterval(() => {}, 1000);
       console.log('ready');`,
      { signal: 'SIGTERM' },
    );
    expect(ended.signal).toBe('SIGTERM');
    expect(await shop.timeline('session-unawaited', 'goal')).toHaveLength(1);
  });

  it('is not prevented by a service that is down', async () => {
    const apiUrl = 'http://127.0.0.1:9';
    const program = `
      const switchyard = createSwitchyard(options);
      switchyard.splitTest.forRequest({ headers: {} });
      await new Promise((resolve) => setTimeout(resolve, 100));
      console.log('ready');
    `;
    expect(await run(program, { apiUrl })).toMatchObject({ code: 0 });
    expect(await run(`${program} setInterval(() => {}, 1000);`, { signal: 'SIGTERM', apiUrl })).toMatchObject(
      {
        signal: 'SIGTERM',
      },
    );
  });

  it('leaves no listeners once everything is sent', async () => {
    const ended = await run(`
      ${readTest('session-listeners')}
      console.log(process.listenerCount('SIGTERM'));
      await switchyard.flush();
      console.log(process.listenerCount('SIGTERM'), process.listenerCount('beforeExit'));
    `);
    expect(ended.output).toEqual(['ready', '1', '0 0']);
  });
});

describe('a browser', () => {
  it('is rejected with an error, before anything is sent', async () => {
    const ended = await run(`
      globalThis.window = globalThis;
      globalThis.document = {};
      globalThis.fetch = () => console.log('sent');
      try {
        createSwitchyard(options);
      } catch (error) {
        console.log(error.message);
      }
    `);
    expect(ended.output).toHaveLength(1);
    expect(ended.output[0]).toMatch(/secret key, which must never reach a browser/);
    expect(ended.output[0]).not.toContain(SECRET_KEY);
  });
});
