import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasPostgres } from '@switchyard/testing/configuration/databases';
import { FaultProxy } from '@switchyard/testing/network/fault-proxy';
import { WITH_OWNER } from '@switchyard/testing/server/browser';
import {
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { inject } from 'vitest';
import { LOAD_PROVISION } from './event-requests.ts';

export const canRunNodes = (): boolean => hasPostgres() && inject('clickhouseUrl') !== undefined;

/** The URL of a new database on the ClickHouse engine of this test run; the first node creates it. */
function newEventDatabase(): string {
  return `${inject('clickhouseUrl')}/nodes_${randomBytes(6).toString('hex')}`;
}

interface NodesOptions {
  databaseUrl: string;
  clickhouseUrl?: string;
  env?: Record<string, string>;
}

/** Real servers that share a PostgreSQL and a ClickHouse database, both behind a proxy with faults. */
export class TestNodes {
  readonly postgres: FaultProxy;
  readonly clickhouse: FaultProxy;
  readonly servers: TestServer[] = [];
  readonly #env: Record<string, string>;

  static async open({
    databaseUrl,
    clickhouseUrl = newEventDatabase(),
    env,
  }: NodesOptions): Promise<TestNodes> {
    // The first request starts the engine, which takes longer than nodes wait for an answer.
    await fetch(new URL('/ping', clickhouseUrl));
    const [postgres, clickhouse] = await Promise.all([proxyOf(databaseUrl), proxyOf(clickhouseUrl)]);
    return new TestNodes(postgres, clickhouse, {
      ...WITH_OWNER,
      WEBHOOK_ALLOW_PRIVATE: 'true',
      ...env,
      DATABASE_URL: postgres.urlOf(databaseUrl),
      CLICKHOUSE_URL: clickhouse.urlOf(clickhouseUrl),
    });
  }

  private constructor(postgres: FaultProxy, clickhouse: FaultProxy, env: Record<string, string>) {
    this.postgres = postgres;
    this.clickhouse = clickhouse;
    this.#env = env;
  }

  /** Starts nodes at the same time. */
  async start(count: number): Promise<void> {
    const dataDirs = Array.from({ length: count }, temporaryDirectory);
    this.servers.push(...(await Promise.all(dataDirs.map((dataDir) => this.startIn(dataDir)))));
  }

  /** Starts a node that is not one of `servers`. */
  startIn(dataDir: string): Promise<TestServer> {
    return startServer({ dataDir, provision: LOAD_PROVISION, env: this.#env });
  }

  /** Starts a node again that has ended. */
  async restart(index: number): Promise<TestServer> {
    const server = await this.startIn(this.servers[index]!.dataDir);
    this.servers[index] = server;
    return server;
  }

  /** Resolves when everything that was acknowledged is in ClickHouse. */
  async stored(): Promise<void> {
    for (const server of this.servers) {
      await until(async () => (await metric(server, 'switchyard_journal_lag_requests')) === 0);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map(discard));
    await Promise.all([this.postgres.close(), this.clickhouse.close()]);
  }
}

/** Only limited by the timeout of the test: an emulated engine on a busy machine takes seconds for a statement. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(200);
}

export async function metric(server: TestServer, name: string): Promise<number> {
  const { text } = await server.send('GET', '/metrics');
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

function proxyOf(url: string): Promise<FaultProxy> {
  const { hostname: host, port } = new URL(url);
  return FaultProxy.start({ host, port: Number(port) });
}
