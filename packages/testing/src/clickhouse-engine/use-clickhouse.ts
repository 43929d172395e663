import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type ClickHouseEngine, startClickHouse } from './clickhouse-engine.ts';
import { canInstallEngine, IS_NATIVE, installEngine } from './install-engine.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Undefined if the engine is missing. */
    clickhouseUrl: string | undefined;
  }
}

/** Runs once before all tests: installs the engine if needed. In CI, a failed installation fails the run. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!isInstalled()) {
    project.provide('clickhouseUrl', undefined);
    return undefined;
  }
  const front = await startOnDemand();
  project.provide('clickhouseUrl', front.url);
  return front.stop;
}

function isInstalled(): boolean {
  if (!canInstallEngine()) {
    console.warn(
      'Skipping the tests on ClickHouse. They run on Linux: on x64 unless TEST_CLICKHOUSE is 0, on other processors ' +
        'with TEST_CLICKHOUSE=1, where the engine is emulated and slow.',
    );
    return false;
  }
  try {
    installEngine();
    return true;
  } catch (error) {
    const message = `Failed to install the ClickHouse engine: ${(error as Error).message}`;
    if (process.env.CI) throw new Error(`Cannot run the tests on ClickHouse. ${message}`);
    console.warn(`Skipping the tests on ClickHouse. ${message}`);
    return false;
  }
}

/** Idle threads of the engine take a fifth of a core under emulation, so it is paused while there is no request. */
const PAUSE_AFTER_MS = IS_NATIVE ? undefined : 300;

/** The engine takes seconds to start, so the first request does it. */
async function startOnDemand(): Promise<Pick<ClickHouseEngine, 'url' | 'stop'>> {
  let engine: Promise<ClickHouseEngine> | undefined;
  let running = 0;
  let pausing: NodeJS.Timeout | undefined;
  const server = createServer((incoming, outgoing) => {
    engine ??= startClickHouse();
    // The engine runs few statements at a time, and a ping would wait for them. A real server answers at once.
    if (incoming.url?.startsWith('/ping')) return outgoing.end('Ok.\n');
    running += 1;
    clearTimeout(pausing);
    engine.then(
      ({ url, resume, pause }) => {
        resume();
        forward(url, incoming, outgoing);
        outgoing.on('close', () => {
          running -= 1;
          if (running === 0 && PAUSE_AFTER_MS !== undefined) pausing = setTimeout(pause, PAUSE_AFTER_MS);
        });
      },
      (error) => outgoing.writeHead(500).end(String(error)),
    );
  });
  // Clients keep their connections for the whole run.
  server.keepAliveTimeout = 10 * 60 * 1000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      clearTimeout(pausing);
      server.close();
      server.closeAllConnections();
      await (await engine?.catch(() => undefined))?.stop();
    },
  };
}

function forward(base: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers, url } = incoming;
  const onward = request(new URL(url ?? '/', base), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', (error) => outgoing.destroy(error));
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}
