import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasPostgres } from '@switchyard/testing/configuration/databases';
import { provisionDatabase } from '@switchyard/testing/configuration/provision-database';
import {
  POSTGRES_CERTIFICATE,
  POSTGRES_CERTIFICATE_KEY,
} from '@switchyard/testing/postgres/postgres-certificate';
import { runAsAdmin } from '@switchyard/testing/postgres/postgres-database';
import { PostgresServer } from '@switchyard/testing/postgres/postgres-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../database.ts';
import { type OpenPostgresOptions, openPostgres } from './open-postgres.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface TestNode {
  handle: DatabaseHandle;
  /** Messages of outages, and `back`, in order. */
  outages: string[];
}

async function startNode(url: string, options: OpenPostgresOptions = {}): Promise<TestNode> {
  const outages: string[] = [];
  const handle = await openPostgres(url, {
    ...options,
    outages: {
      onUnavailable: (error) => outages.push((error as Error).message),
      onBack: () => outages.push('back'),
    },
  });
  closing.push(() => handle.close());
  handle.watch(() => {});
  return { handle, outages };
}

async function portOf({ database }: DatabaseHandle): Promise<number> {
  const { rows } = await sql<{ port: number }>`select inet_server_port() as port`.execute(database);
  return rows[0]!.port;
}

const portIn = (url: string) => Number(new URL(url).port);

/** The same database on several servers. */
const listOf = (...servers: PostgresServer[]) => {
  const [first, ...others] = servers.map(({ url }) => new URL(url));
  const more = others.map(({ host }) => `,${host}`).join('');
  return first!.href.replace(first!.host, `${first!.host}${more}`);
};

/** Retries while the server is unavailable. */
const addGoal = ({ handle }: TestNode, id: string) =>
  waitFor(`the goal ${id}`, () =>
    provisionDatabase(handle.database, { id: 'shop', goals: [{ id, kind: 'count' }] }).catch(() => undefined),
  );

async function startPair(): Promise<[primary: PostgresServer, standby: PostgresServer]> {
  const primary = await PostgresServer.start({ settings: ['fsync=off'] });
  closing.push(() => primary.dispose());
  await (await openPostgres(primary.url)).close();
  await primary.stop();
  const standby = await primary.copy();
  closing.push(() => standby.dispose());
  standby.becomeStandby();
  await primary.start();
  await standby.start();
  return [primary, standby];
}

describe.skipIf(!hasPostgres())('of several servers', () => {
  test('a node uses the primary, and after a failover the new one', async () => {
    const [old, next] = await startPair();
    const node = await startNode(`${listOf(next, old)}?target_session_attrs=read-write`);
    expect(await portOf(node.handle)).toBe(portIn(old.url));
    await addGoal(node, 'before');
    await old.stop();
    await runAsAdmin(next.url, 'select pg_promote()');
    old.becomeStandby();
    await old.start();
    await addGoal(node, 'after');
    expect(await portOf(node.handle)).toBe(portIn(next.url));
    await waitFor('the end of the outage', () => node.outages.at(-1) === 'back');
  });

  test('one that only answers reads is named', async () => {
    const [primary, standby] = await startPair();
    await primary.stop();
    await expect(openPostgres(standby.url)).rejects.toThrow(
      'PostgreSQL is not available: 127.0.0.1 accepts no writes. It is a standby, or default_transaction_read_only is on',
    );
  });

  test('one that becomes read-only while nodes are connected is unavailable, and back afterwards', async () => {
    const server = await PostgresServer.start({ settings: ['fsync=off'] });
    closing.push(() => server.dispose());
    const node = await startNode(server.url);
    await addGoal(node, 'before');
    const setReadOnly = async (value: string) => {
      await runAsAdmin(server.url, `alter system set default_transaction_read_only = ${value}`);
      await runAsAdmin(server.url, 'select pg_reload_conf()');
    };
    await setReadOnly('on');
    await waitFor('the outage', () => !node.handle.nodes.isAvailable);
    expect(node.outages[0]).toContain('accepts no writes');
    await setReadOnly('off');
    await addGoal(node, 'after');
    await waitFor('the end of the outage', () => node.outages.at(-1) === 'back');
  });
});

describe.skipIf(!hasPostgres())('encrypted connections', () => {
  let server: PostgresServer;
  let directory: string;
  let root: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'switchyard-tls-'));
    root = join(directory, 'root.crt');
    writeFileSync(root, POSTGRES_CERTIFICATE);
    writeFileSync(join(directory, 'client.key'), POSTGRES_CERTIFICATE_KEY, { mode: 0o600 });
    server = await PostgresServer.start({
      settings: [
        'fsync=off',
        'listen_addresses=127.0.0.1,::1',
        'ssl=on',
        'ssl_cert_file=../server.crt',
        'ssl_key_file=../server.key',
        'ssl_ca_file=../server.crt',
        'hba_file=pg_hba.conf',
      ],
      files: {
        'server.crt': POSTGRES_CERTIFICATE,
        'server.key': POSTGRES_CERTIFICATE_KEY,
        'pg_hba.conf': [
          'hostssl all postgres all scram-sha-256',
          'hostssl all certified all scram-sha-256 clientcert=verify-ca',
          '',
        ].join('\n'),
      },
    });
    await runAsAdmin(
      `${server.url}?sslmode=no-verify`,
      "create role certified superuser login password 'secret'",
    );
  });
  afterAll(async () => {
    await server.dispose();
    rmSync(directory, { recursive: true });
  });

  const urlOf = (host: string, parameters: Record<string, string>, user?: string) => {
    const url = new URL(server.url.replace('127.0.0.1', host));
    if (user !== undefined) [url.username, url.password] = [user, 'secret'];
    url.search = String(new URLSearchParams(parameters));
    return url.href;
  };

  async function isEncrypted(url: string): Promise<boolean> {
    const handle = await openPostgres(url);
    closing.push(() => handle.close());
    const { rows } = await sql<{ ssl: boolean }>`
      select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(handle.database);
    return rows[0]!.ssl;
  }

  test.each(['127.0.0.1', '[::1]', 'localhost'])('sslmode=require needs no certificate: %s', async (host) => {
    expect(await isEncrypted(urlOf(host, { sslmode: 'require' }))).toBe(true);
  });

  test.each(['[::1]', 'localhost'])('sslmode=verify-full checks the name: %s', async (host) => {
    expect(await isEncrypted(urlOf(host, { sslmode: 'verify-full', sslrootcert: root }))).toBe(true);
  });

  test('sslmode=verify-full refuses another name, verify-ca does not', async () => {
    await expect(
      isEncrypted(urlOf('127.0.0.1', { sslmode: 'verify-full', sslrootcert: root })),
    ).rejects.toThrow("IP: 127.0.0.1 is not in the cert's list");
    expect(await isEncrypted(urlOf('127.0.0.1', { sslmode: 'verify-ca', sslrootcert: root }))).toBe(true);
  });

  test('an unknown issuer is refused', async () => {
    await expect(isEncrypted(urlOf('localhost', { sslmode: 'verify-full' }))).rejects.toThrow(
      'self-signed certificate',
    );
  });

  test('sslmode=disable is refused by a server that requires TLS', async () => {
    await expect(isEncrypted(urlOf('127.0.0.1', { sslmode: 'disable' }))).rejects.toThrow('no encryption');
  });

  test('a client certificate is sent', async () => {
    const verified = { sslmode: 'verify-full', sslrootcert: root };
    await expect(isEncrypted(urlOf('localhost', verified, 'certified'))).rejects.toThrow(
      'requires a valid client certificate',
    );
    const certificate = { sslcert: root, sslkey: join(directory, 'client.key') };
    expect(await isEncrypted(urlOf('localhost', { ...verified, ...certificate }, 'certified'))).toBe(true);
  });

  test('a missing file is named', async () => {
    const url = urlOf('localhost', { sslmode: 'verify-full', sslrootcert: '/nowhere/root.crt' });
    await expect(openPostgres(url)).rejects.toThrow('/nowhere/root.crt');
  });

  test('a file that is missing at first is read when it is there', async () => {
    const late = join(directory, 'late.crt');
    const url = urlOf('localhost', { sslmode: 'verify-full', sslrootcert: late });
    const node = await startNode(url, { allowUnavailable: true });
    expect(node.handle.nodes.isAvailable).toBe(false);
    writeFileSync(late, POSTGRES_CERTIFICATE);
    await node.handle.nodes.whenAvailable();
    await addGoal(node, 'after');
  });
});
