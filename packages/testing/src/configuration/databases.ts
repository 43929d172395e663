import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { DatabaseHandle } from '../../../server/src/configuration/database/database.ts';
import {
  type DatabaseOptions,
  openDatabase,
  openMemoryDatabase,
} from '../../../server/src/configuration/database/open-database.ts';
import { createDatabase, MIGRATED, runAsAdmin } from '../postgres/postgres-database.ts';

/** An empty configuration database that several handles can open, as several processes would. */
export interface TestDatabase {
  open(options?: DatabaseOptions): Promise<DatabaseHandle>;
  /** Removes it; its handles must be closed. */
  remove(): Promise<void>;
}

export interface Engine {
  name: 'SQLite' | 'PostgreSQL';
  /** @param options.empty without tables */
  create(options?: { empty?: boolean }): Promise<TestDatabase>;
  /** A database with one handle, which is gone once that is closed. */
  openTemporary(): Promise<DatabaseHandle>;
}

const sqlite: Engine = {
  name: 'SQLite',
  async create() {
    const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-database-'));
    return {
      open: (options) => openDatabase(dataDir, options),
      remove: async () => rmSync(dataDir, { recursive: true, force: true }),
    };
  },
  openTemporary: openMemoryDatabase,
};

const postgres: Engine = {
  name: 'PostgreSQL',
  async create(options) {
    const { url, remove } = await createPostgresDatabase(options);
    return { open: (options) => openDatabase('', { patient: true, ...options, url }), remove };
  },
  async openTemporary() {
    const { open, remove } = await postgres.create();
    const handle = await open();
    const close = async () => {
      await handle.close();
      await remove();
    };
    return { ...handle, close };
  },
};

export const hasPostgres = (): boolean => inject('postgresStarter') !== undefined;

/** For `describe.each`: every engine that is installed. */
export const engines = (): Engine[] => (hasPostgres() ? [sqlite, postgres] : [sqlite]);

/** A database on the PostgreSQL server of this test run, with the current schema unless it is to be empty. */
export async function createPostgresDatabase({
  empty = false,
} = {}): Promise<{ url: string; remove: () => Promise<void> }> {
  const server = await serverUrl();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = await createDatabase(server, name, empty ? 'template0' : MIGRATED);
  return { url, remove: () => runAsAdmin(server, `drop database ${name} with (force)`) };
}

let startedServer: Promise<string> | undefined;

/** Asked once per process: a connection that is kept for later may be closed just when it is used again. */
function serverUrl(): Promise<string> {
  startedServer ??= askForServer();
  return startedServer;
}

async function askForServer(): Promise<string> {
  const starter = inject('postgresStarter');
  if (starter === undefined) throw new Error('PostgreSQL not found');
  const response = await fetch(starter);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
