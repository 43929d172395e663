import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, copyFileSync, cpSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  closeShop,
  expectAccepted,
  expectProblem,
  openShop,
  type Shop,
} from '@switchyard/testing/fixtures/shop';
import { switchyard } from '@switchyard/testing/server/command-line';
import { BIN, temporaryDirectory } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

let shop: Shop;
/** The data of a stopped server with enough feedback to fill whole blocks, one of them damaged. */
let damaged: string;
beforeAll(async () => {
  damaged = await damagedShop();
});
afterEach(() => closeShop(shop));
afterAll(() => rmSync(damaged, { recursive: true, force: true }));

/** DuckDB's file format: three pages of headers, then blocks. */
const HEADERS = 3 * 4096;
const BLOCK = 256 * 1024;

/** Finds a block that contains only feedback messages. */
async function messageBlock(file: string): Promise<number> {
  const script = `import { DuckDBInstance } from '@duckdb/node-api';
    const connection = await (await DuckDBInstance.create(process.argv[1], { access_mode: 'READ_ONLY' })).connect();
    const tables = (await connection.runAndReadAll('SELECT table_name FROM duckdb_tables()')).getRows().flat();
    const users = new Map();
    for (const table of tables) {
      const info = await connection.runAndReadAll(
        \`SELECT column_name, block_id FROM pragma_storage_info('\${table}') WHERE block_id >= 0\`);
      for (const [column, block] of info.getRows()) {
        users.set(Number(block), [...(users.get(Number(block)) ?? []), table + '.' + column]);
      }
    }
    const own = [...users].find(([, names]) => names.every((name) => name === 'feedback.message'));
    console.log(own[0]);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script, file],
    { cwd: dirname(BIN) },
  );
  return Number(stdout);
}

/** Overwrites some bytes in the middle of a block. */
function damage(file: string, block: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(64, 'X'), 0, 64, HEADERS + block * BLOCK + BLOCK / 2);
  closeSync(descriptor);
}

const MESSAGES = 400;

async function damagedShop(): Promise<string> {
  shop = await openShop();
  const messages = Array.from({ length: MESSAGES }, () => randomBytes(1500).toString('base64'));
  const responses = await Promise.all(
    messages.map((message) => shop.submit({ feedbackTypeId: 'nps', message, sessionId: 'before' })),
  );
  for (const response of responses) expectAccepted(response);
  expect(await shop.server.stop()).toBe(0);
  const file = join(shop.server.dataDir, 'events.duckdb');
  copyFileSync(file, `${file}.backup`);
  damage(file, await messageBlock(file));
  return shop.server.dataDir;
}

/** A server with a copy of the damaged data. */
async function openDamagedShop(): Promise<Shop> {
  const dataDir = temporaryDirectory();
  cpSync(damaged, dataDir, { recursive: true });
  return openShop({ dataDir });
}

const status = async (path: string) => (await shop.server.call('GET', path)).status;
const isDamaged = async () =>
  /^switchyard_storage_damaged 1$/m.test((await shop.server.call('GET', '/metrics')).text);

const QUERIES = [
  ['/v1/feedback', {}],
  ['/v1/feedback/summary', {}],
  ['/v1/feedback/export', {}],
  ['/v1/goals/conversions', {}],
  ['/v1/sessions', {}],
  ['/v1/sessions/before', {}],
  ['/v1/goals/progress', { goalId: 'signup' }],
  ['/v1/traffic/summary', {}],
  ['/v1/split-testing/results', { splitTestKey: 'hero' }],
  ['/v1/split-testing/plan', { goalId: 'signup', smallestEffect: '0.1' }],
] as const;

it('finds and reports damage; queries get 503, and a restored backup gets the events accepted meanwhile', async () => {
  shop = await openDamagedShop();
  const { dataDir } = shop.server;
  await waitFor('the damage to be found', isDamaged);
  expect(await status('/readyz')).toBe(503);
  expect(await status('/healthz')).toBe(200);
  const { log } = shop.server;
  expect(log).toMatch(/events\.duckdb, table feedback is damaged/);
  expect(log).toMatch(/backup/);
  expect(log).not.toMatch(/service_(pub|sec)_/);
  for (const [path, query] of QUERIES) {
    const response = await shop.get(path, query);
    expectProblem(response, { status: 503, code: 'storage_damaged' });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.text).not.toContain(dataDir);
  }
  expect((await shop.get('/v1/flags/list')).status).toBe(200);
  expectAccepted(await shop.increment({ goalId: 'signup' }));
  expect(await shop.server.stop()).toBe(0);
  // The accepted event stays in the journal for the restored file.
  const { stdout } = await switchyard(shop.server, 'doctor', '--json');
  const checks = JSON.parse(stdout).checks as { name: string; status: string; detail: string }[];
  expect(checks.find(({ name }) => name === 'Event store')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/table feedback is damaged/),
  });

  copyFileSync(join(dataDir, 'events.duckdb.backup'), join(dataDir, 'events.duckdb'));
  shop = await openShop({ dataDir });
  expect(await shop.progress('signup')).toMatchObject({ current: { total: 1 } });
  expect((await shop.feedback({ limit: '500' })).feedback).toHaveLength(MESSAGES);
  expect(await status('/readyz')).toBe(200);
  expect(await isDamaged()).toBe(false);
});

it('a query that hits the damage first gets 503 and reports it', async () => {
  shop = await openDamagedShop();
  const response = await shop.get('/v1/feedback', { limit: '500' });
  expectProblem(response, { status: 503, code: 'storage_damaged' });
  await waitFor('the damage to be reported', isDamaged);
  expect(await status('/readyz')).toBe(503);
});
