import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { openPostgres } from '../../../server/src/configuration/database/postgres/open-postgres.ts';
import { findPostgres, installPostgres } from './postgres-binaries.ts';
import { createDatabase, MIGRATED } from './postgres-database.ts';
import { PostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the URL of the PostgreSQL server of this run; undefined: PostgreSQL is missing. */
    postgresStarter: string | undefined;
  }
}

/**
 * Runs once before all tests: installs PostgreSQL if the system has none. The server itself starts when the first test
 * asks for it, because most runs of a few files need none. In CI, a missing PostgreSQL fails the run.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (findPostgres() === undefined) install();
  if (findPostgres() === undefined) {
    const message = 'PostgreSQL not found; install it, so that initdb is in PATH or /usr/lib/postgresql.';
    if (process.env.CI) throw new Error(`Cannot run the tests with PostgreSQL. ${message}`);
    console.warn(`Skipping the tests with PostgreSQL. ${message}`);
    project.provide('postgresStarter', undefined);
    return async () => {};
  }
  let starting: Promise<PostgresServer> | undefined;
  const starter = createServer((_request, response) => {
    starting ??= startWithTemplate();
    starting.then(
      ({ url }) => response.end(url),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await once(starter.listen(0, '127.0.0.1'), 'listening');
  project.provide('postgresStarter', `http://127.0.0.1:${(starter.address() as AddressInfo).port}`);
  return async () => {
    starter.close();
    await (await starting?.catch(() => undefined))?.dispose();
  };
}

/** Without waiting for the disk: how PostgreSQL survives a crash is not for our tests to find out. */
async function startWithTemplate(): Promise<PostgresServer> {
  const server = await PostgresServer.start({ settings: ['fsync=off'] });
  const template = await createDatabase(server.url, MIGRATED);
  await (await openPostgres(template)).close();
  return server;
}

function install(): void {
  console.log('Installing PostgreSQL for the tests, into a cache outside of the checkout …');
  try {
    installPostgres();
  } catch (error) {
    console.error(`Failed to install PostgreSQL: ${(error as Error).message}`);
  }
}
