import { expect, test } from 'vitest';
import { createTable } from './create-table.ts';
import { deduplicationSettings } from './deduplication-window.ts';
import { TableNames } from './table-names.ts';
import { FIRST_TABLES } from './tables-of-schema-1.ts';

test('one server has one table', () => {
  expect(createTable(new TableNames('shop`s'), 'watermarks', FIRST_TABLES.watermarks)).toEqual([
    `CREATE TABLE IF NOT EXISTS \`shop\\\`s\`.watermarks (
      source String,
      seq UInt64,
      stored_at DateTime64(3) DEFAULT now64(3)
) ENGINE = ReplacingMergeTree(seq)
ORDER BY source
SETTINGS non_replicated_deduplication_window = 10000`,
  ]);
});

test('a cluster has a replicated table on each shard, and one over all shards', () => {
  const [stored, distributed, ...rest] = createTable(
    new TableNames('shop', 'main'),
    'session_starts',
    FIRST_TABLES.session_starts,
  );
  expect(stored).toMatch(/^CREATE TABLE IF NOT EXISTS `shop`\.session_starts_local ON CLUSTER `main` \(\n/);
  expect(stored).toContain(`) ENGINE = ReplicatedMergeTree
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(happened_at))
ORDER BY (property, session_id, happened_at)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800`);
  expect(
    distributed,
  ).toBe(`CREATE TABLE IF NOT EXISTS \`shop\`.session_starts ON CLUSTER \`main\` AS \`shop\`.session_starts_local
ENGINE = Distributed('main', 'shop', 'session_starts_local', cityHash64(property, session_id))`);
  expect(rest).toEqual([]);
});

test('a table with a TTL drops whole files', () => {
  const [statement] = createTable(new TableNames('shop'), 'event_ids', FIRST_TABLES.event_ids);
  expect(statement).toContain(`ORDER BY (property, event_id, source, ordinal)
TTL stored_at + INTERVAL 2 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1`);
});

test('what any replica has is read from all of them', () => {
  expect(new TableNames('shop').onAllReplicas('event_ids')).toBe('`shop`.event_ids');
  expect(new TableNames('shop', 'main').onAllReplicas('event_ids')).toBe(
    "clusterAllReplicas('main', 'shop', 'event_ids_local')",
  );
});

test.each([
  [1, 10_000],
  [2, 20_000],
  [3, 40_000],
  [16, 160_000],
])('the inserts of %i nodes are recognized: %i', (nodes, window) => {
  expect(deduplicationSettings(new TableNames('shop'), nodes)).toEqual([
    `non_replicated_deduplication_window = ${window}`,
  ]);
});
