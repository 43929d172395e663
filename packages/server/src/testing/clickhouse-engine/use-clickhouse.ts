import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type ClickHouseEngine, startClickHouse } from './clickhouse-engine.ts';
import { canInstallEngine } from './install-engine.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Undefined if this machine cannot run the engine. */
    clickhouseUrl: string | undefined;
  }
}

/** Runs once before all tests. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!canInstallEngine()) {
    console.warn(
      'Skipping the tests on ClickHouse. TEST_CLICKHOUSE=1 runs them on Linux; they install 700 MB, ' +
        'and take long on processors other than x64, where the engine is emulated.',
    );
    project.provide('clickhouseUrl', undefined);
    return undefined;
  }
  const front = await startOnDemand();
  project.provide('clickhouseUrl', front.url);
  return front.stop;
}

/** How long the engine may finish what it does in the background. */
const PAUSE_AFTER_MS = 300;

/** The engine takes seconds to start, so the first request does it. */
async function startOnDemand(): Promise<Pick<ClickHouseEngine, 'url' | 'stop'>> {
  let engine: Promise<ClickHouseEngine> | undefined;
  let running = 0;
  let pausing: NodeJS.Timeout | undefined;
  const server = createServer((incoming, outgoing) => {
    engine ??= startClickHouse();
    // The engine runs one statement at a time, and a ping would wait for it. A real server answers at once.
    if (incoming.url?.startsWith('/ping')) return outgoing.end('Ok.\n');
    running += 1;
    clearTimeout(pausing);
    engine.then(
      ({ url, resume, pause }) => {
        resume();
        forward(url, incoming, outgoing);
        outgoing.on('close', () => {
          running -= 1;
          if (running === 0) pausing = setTimeout(pause, PAUSE_AFTER_MS);
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
