import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { expect, inject, test } from 'vitest';

const url = inject('clickhouseUrl');

test.skipIf(url === undefined)('the engine of the tests understands the client', async () => {
  const client = createClient({ url: url as string, log: { level: ClickHouseLogLevel.OFF } });
  const text = "it's \\ a\ttab\nand 😀";
  const result = await client.query({
    query: 'SELECT {text:String}, {list:Array(String)}, toInt64(9007199254740993)',
    query_params: { text, list: [text] },
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
    format: 'JSONCompactEachRow',
  });
  expect(await result.json()).toEqual([[text, [text], '9007199254740993']]);
  await expect(client.query({ query: 'SELECT missing' })).rejects.toMatchObject({
    type: 'UNKNOWN_IDENTIFIER',
  });
  await client.close();
});
