import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** As ClickHouse says it. */
const LIMITS = {
  memory:
    'Code: 241. DB::Exception: Query memory limit exceeded: would use 4.01 GiB, maximum: 4.00 GiB. (MEMORY_LIMIT_EXCEEDED) (version 26.7.3.1)\n',
  time: 'Code: 159. DB::Exception: Timeout exceeded: elapsed 50001 ms, maximum: 50000 ms. (TIMEOUT_EXCEEDED) (version 26.7.3.1)\n',
};

describe.skipIf(!hasPostgres())('a read that exceeds a limit of ClickHouse', () => {
  let database: { url: string; remove: () => Promise<void> };
  let clickhouse: Server;
  let server: TestServer;
  let answer = LIMITS.memory;

  beforeAll(async () => {
    database = await createPostgresDatabase({ empty: true });
    clickhouse = createServer((request, response) => {
      if (request.url === '/ping') return response.end('Ok.\n');
      request.resume().on('end', () => response.writeHead(500).end(answer));
    });
    await once(clickhouse.listen(0, '127.0.0.1'), 'listening');
    const { port } = clickhouse.address() as AddressInfo;
    server = await startServer({
      provision: SAMPLE,
      env: { DATABASE_URL: database.url, CLICKHOUSE_URL: `http://127.0.0.1:${port}/switchyard` },
    });
  });
  afterAll(async () => {
    await discard(server);
    clickhouse?.closeAllConnections();
    clickhouse?.close();
    await database.remove();
  });

  test.each(['memory', 'time'] as const)('is too large, not to be repeated: %s', async (limit) => {
    answer = LIMITS[limit];
    for (const path of [
      '/v1/goals/progress?propertyId=shop&goalId=signup',
      '/v1/traffic/summary?propertyId=shop',
    ]) {
      const response = await server.call('GET', path, { key: SECRET_KEY });
      expect(response.status, response.text).toBe(422);
      expect(response.body.error).toMatchObject({
        code: 'report_too_large',
        message: expect.stringContaining('CLICKHOUSE_MAX_MEMORY'),
      });
      expect(response.headers.get('retry-after')).toBeNull();
    }
  });

  test('does not affect flags', async () => {
    const body = { propertyId: 'shop', context: { sessionId: 'unknown' } };
    const response = await server.call('POST', '/v1/flags/evaluate', { key: SECRET_KEY, body });
    expect(response.status, response.text).toBe(200);
  });
});
