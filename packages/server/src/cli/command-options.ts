import { Option } from 'commander';
import { SETTINGS } from '../settings.ts';

const DATA_DIR = SETTINGS.DATA_DIR.fallback;

export function dataDirOption(): Option {
  return new Option('--data-dir <directory>', 'data directory')
    .env('DATA_DIR')
    .default(DATA_DIR)
    .argParser((value) => (value === '' ? DATA_DIR : value));
}

export function jsonOption(): Option {
  return new Option('--json', 'print JSON instead of text');
}

/** Of commands for nodes. */
export function clickhouseOption(): Option {
  return new Option('--clickhouse <url>', 'ClickHouse database of the nodes').env('CLICKHOUSE_URL');
}

export function clickhouseClusterOption(): Option {
  return new Option('--clickhouse-cluster <name>', 'name of the ClickHouse cluster').env(
    'CLICKHOUSE_CLUSTER',
  );
}
