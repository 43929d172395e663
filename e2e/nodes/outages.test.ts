import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { sampleWith } from '@switchyard/testing/fixtures/shop';
import { FaultProxy } from '@switchyard/testing/network/fault-proxy';
import { freePort } from '@switchyard/testing/network/free-port';
import { Browser, OWNER, WITH_OWNER } from '@switchyard/testing/server/browser';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSwitchyard } from '../../packages/sdk/src/node/node.ts';

const RULE = {
  id: 'parts',
  split: [
    { key: 'a', value: 'A', weight: 1 },
    { key: 'b', value: 'B', weight: 1 },
  ],
  measure: { goals: ['signup'] },
};
const MEASURED = {
  key: 'measured',
  type: 'string',
  defaultValue: 'none',
  environments: { production: { enabled: true, rules: [RULE] } },
};

// Without ClickHouse, so that they run on every machine with PostgreSQL.

describe.skipIf(!hasPostgres())('a node', () => {
  let node: TestServer;
  let database: { url: string; remove: () => Promise<void> };
  let postgres: FaultProxy;

  beforeEach(async () => {
    database = await createPostgresDatabase({ empty: true });
    const { hostname: host, port } = new URL(database.url);
    postgres = await FaultProxy.start({ host, port: Number(port) });
    node = await startServer({
      provision: sampleWith({ flags: [MEASURED] }),
      env: {
        ...WITH_OWNER,
        DATABASE_URL: postgres.urlOf(database.url),
        CLICKHOUSE_URL: `http://127.0.0.1:${await freePort()}/events`,
        JOURNAL_MAX_BYTES: '65536',
      },
    });
  });
  afterEach(async () => {
    await discard(node);
    await postgres?.close();
    await database?.remove();
  });

  const increment = () =>
    node.send('POST', '/v1/goals/increment', {
      key: SECRET_KEY,
      body: { propertyId: 'shop', goalId: 'signup', sessionId: 's-1' },
    });
  const fullJournal = () =>
    waitFor('a full journal', async () => {
      const responses = await Promise.all(Array.from({ length: 50 }, increment));
      return responses.some(({ status }) => status === 503);
    });

  test('evaluates flags while its journal is full, and says that nothing was recorded', async () => {
    const context = { userId: 'u-1' };
    const evaluate = async (more: object) => {
      const body = { propertyId: 'shop', context, flagKeys: ['measured'], ...more };
      const response = await node.call('POST', '/v1/flags/evaluate', { key: SECRET_KEY, body });
      expect(response.status, response.text).toBe(200);
      expect(response.body.flags.measured.value).toMatch(/^[AB]$/);
      return response.body;
    };
    const ofrep = async (path: string, headers: Record<string, string>) => {
      const response = await node.call('POST', `/ofrep/v1/evaluate/flags${path}`, {
        key: SECRET_KEY,
        body: { context },
        headers,
      });
      expect(response.status, response.text).toBe(200 + (headers['if-none-match'] ? 104 : 0));
      return response;
    };
    const asked = { 'x-record': 'true' };
    expect(await evaluate({ record: true, context: { userId: 'before' } })).not.toHaveProperty('recorded');
    expect((await ofrep('', { 'x-record': 'false' })).headers.get('x-record')).toBeNull();
    await fullJournal();
    // Nobody is taken for recorded because of a failure.
    for (let i = 0; i < 2; i++) expect((await evaluate({ record: true })).recorded).toBe(false);
    expect(await evaluate({ record: false })).not.toHaveProperty('recorded');
    expect((await ofrep('/measured', asked)).headers.get('x-record')).toBe('failed');
    const list = await ofrep('', asked);
    expect(list.headers.get('x-record')).toBe('failed');
    const unchanged = await ofrep('', { ...asked, 'if-none-match': list.headers.get('etag')! });
    expect(unchanged.headers.get('x-record')).toBe('failed');
    expect((await ofrep('/measured', {})).headers.get('x-record')).toBeNull();

    const problems: string[] = [];
    const { flags, close } = createSwitchyard({
      apiUrl: node.url,
      secretApiKey: SECRET_KEY,
      propertyId: 'shop',
      evaluation: 'remote',
      onError: ({ code }) => problems.push(code),
    });
    expect(await flags.evaluate({ userId: 'u-2' }, ['measured'])).toMatchObject({
      success: true,
      flags: { measured: { reason: 'SPLIT' } },
    });
    expect(problems).toEqual(['exposures_dropped']);
    await close();

    const { text } = await node.send('GET', '/metrics');
    expect(text).toContain('switchyard_events_dropped_total{reason="not_stored"} 6');
    const lines = node.log.split('\n').filter((line) => line.includes('could not be recorded'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn', evaluations: 1 }]);
  });

  test('is not ready while its journal is full, because ClickHouse is unavailable', async () => {
    const readiness = async () => {
      const { status, body } = await node.send('GET', '/readyz');
      return { status, body };
    };
    expect(await readiness()).toEqual({ status: 200, body: { status: 'ready', unavailable: ['events'] } });
    await fullJournal();
    expect(await readiness()).toEqual({
      status: 503,
      body: { status: 'not ready', unavailable: ['events', 'journal'] },
    });
  });

  test('does not count sign-ins as failed while PostgreSQL is unavailable', async () => {
    const browser = new Browser(node);
    const signIn = async () => (await browser.signIn(OWNER.email, OWNER.password)).status;
    expect(await signIn()).toBe(200);
    postgres.refuse();
    postgres.cut();
    const statuses: number[] = [];
    for (let i = 0; i < 15; i++) statuses.push(await signIn());
    expect(new Set(statuses)).toEqual(new Set([503]));
    postgres.pass();
    await waitFor('PostgreSQL', async () => (await signIn()) !== 503);
    expect(await signIn()).toBe(200);
  });
});
