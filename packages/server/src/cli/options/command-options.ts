import { Option } from 'commander';
import { SETTINGS, type SettingName } from '../../platform/settings/settings.ts';

/** Commander reads the variable and names it in the help. The value is read as by `serve`. */
export function settingOption(flags: string, description: string, name: SettingName): Option {
  return new Option(flags, description).env(name).argParser((value) => value.trim() || undefined);
}

export function dataDirOption(): Option {
  const { fallback } = SETTINGS.DATA_DIR;
  return settingOption('--data-dir <directory>', 'data directory', 'DATA_DIR')
    .default(fallback)
    .argParser((value) => value.trim() || fallback);
}

export function jsonOption(): Option {
  return new Option('--json', 'print JSON instead of text');
}

/** Of commands for nodes. */
export function clickhouseOption(): Option {
  return settingOption('--clickhouse <url>', 'ClickHouse database of the nodes', 'CLICKHOUSE_URL');
}

export function clickhouseClusterOption(): Option {
  return settingOption('--clickhouse-cluster <name>', 'name of the ClickHouse cluster', 'CLICKHOUSE_CLUSTER');
}
