import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { switchyardWith } from '@switchyard/testing/server/command-line';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALL_MIGRATIONS } from '../configuration/database/migrations/all-migrations.ts';
import { pastConfiguration } from '../features/explanations/past-configuration.ts';
import { configurationModel } from '../start/definitions.ts';

describe.skipIf(!hasPostgres())('commands with DATABASE_URL', () => {
  let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
  let directory: string;
  beforeAll(async () => {
    database = await createPostgresDatabase({ empty: true });
    directory = mkdtempSync(join(tmpdir(), 'switchyard-commands-'));
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    await database.remove();
  });

  const run = (...args: string[]) =>
    switchyardWith({ DATABASE_URL: database.url, DATA_DIR: join(directory, 'data') }, ...args);

  test('work on the configuration in PostgreSQL, and create no data directory', async () => {
    const file = join(directory, 'shop.yaml');
    writeFileSync(file, 'properties: [{ id: shop, goals: [{ id: signup, kind: count }] }]');
    expect(await run('apply', file)).toMatchObject({ code: 0 });
    expect((await run('plan', file, '--exit-code')).code).toBe(0);
    expect((await run('export')).stdout).toContain('signup');
    const created = await run(
      'keys',
      'create',
      '--property',
      'shop',
      '--kind',
      'secret',
      '--name',
      'backend',
    );
    expect(created.stdout).toMatch(/^service_sec_/);
    expect((await run('keys', 'list')).stdout).toContain('backend');
    expect((await run('types')).stdout).toContain('signup');
    expect((await run('users', 'create', '--email', 'ada@shop.example', '--owner')).code).toBe(0);
    expect((await run('users', 'list')).stdout).toContain('ada@shop.example');
    expect(readdirSync(directory)).toEqual(['shop.yaml']);
    const past = { source: { url: database.url }, propertyId: 'shop', moment: Date.now() };
    const { text } = await pastConfiguration(configurationModel, { type: 'past-configuration', ...past });
    expect(JSON.parse(text)).toMatchObject({ goals: [{ id: 'signup' }] });
  });

  test('doctor checks the connection, the schema and the history', async () => {
    const { stdout } = await run('doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; detail: string }[] };
    const named = (name: string) => checks.find((check) => check.name === name);
    expect(named('PostgreSQL')).toMatchObject({ status: 'ok' });
    expect(named('Configuration')).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining(ALL_MIGRATIONS.at(-1)!.name),
    });
    expect(named('History')).toMatchObject({ status: 'ok' });
    expect(named('Access')).toMatchObject({ status: 'ok' });
    const url = 'postgres://user:secret@127.0.0.1:1/none';
    const unreachable = await switchyardWith({ DATABASE_URL: url, DATA_DIR: directory }, 'doctor');
    expect(unreachable).toMatchObject({ code: 1 });
    expect(unreachable.stdout).toMatch(/fail {2}PostgreSQL +cannot be reached/);
    expect(unreachable.stdout).not.toContain('secret');
  });

  test.for(['backup', 'restore'])('%s names the tools to use instead', async (command) => {
    const { code, stderr } = await run(command, join(directory, 'copy'));
    expect(code).toBe(1);
    expect(stderr).toContain('pg_dump');
  });
});
