import { SETTINGS } from '../../platform/settings/settings.ts';

/** Options of a command for nodes, as text. */
export interface ClickHouseOptions {
  clickhouse?: string;
  clickhouseCluster?: string;
}

/**
 * The ClickHouse database that was passed to a command.
 *
 * @param option the option with the URL, for errors
 */
export function givenClickHouse(
  url: string,
  cluster: string | undefined,
  option = '--clickhouse',
): { url: string; cluster?: string } {
  return {
    url: SETTINGS.CLICKHOUSE_URL.parse(url, option),
    ...(cluster && { cluster: SETTINGS.CLICKHOUSE_CLUSTER.parse(cluster, '--clickhouse-cluster') }),
  };
}
