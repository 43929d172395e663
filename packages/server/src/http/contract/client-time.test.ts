import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { HOUR_MS } from '@switchyard/core/time';
import { accepted, closeShop, openShop } from '@switchyard/testing/fixtures/shop';
import { expect, test } from 'vitest';

test('an implausible client time is stored next to the time of receipt', async () => {
  const shop = await openShop();
  try {
    const before = Date.now();
    const times = [before - HOUR_MS, before - 100 * HOUR_MS, before + 30 * HOUR_MS, undefined];
    const events = times.map((timestamp) => ({ type: 'event', timestamp }));
    const exposures = times.map((timestamp) => ({
      splitTestKey: 'hero',
      variationKey: 'b',
      sessionId: 's',
      timestamp,
    }));
    await accepted(shop.collect({ sessionId: 's', visitorId: 'v', events }));
    await accepted(shop.expose(...exposures));
    expect(await shop.server.stop()).toBe(0);
    const received = expect.toSatisfy((at: bigint) => at >= before && at <= Date.now());
    const expected = [
      [BigInt(before - HOUR_MS), received, null],
      [received, received, BigInt(before - 100 * HOUR_MS)],
      [received, received, BigInt(before + 30 * HOUR_MS)],
      [received, received, null],
    ];
    const file = join(shop.server.dataDir, 'events.duckdb');
    expect(
      await rowsOf(
        file,
        'SELECT happened_at, received_at, client_at FROM exposures ORDER BY seq, event_index',
      ),
    ).toEqual(expected);
    // The time of receipt is stored once per collect request.
    expect(
      await rowsOf(
        file,
        `SELECT happened_at, received_at, client_at
         FROM session_events JOIN collects USING (seq) ORDER BY seq, event_index`,
      ),
    ).toEqual(expected);
  } finally {
    await closeShop(shop);
  }
});

async function rowsOf(file: string, sql: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(sql)).getRows();
  connection.closeSync();
  instance.closeSync();
  return rows;
}
