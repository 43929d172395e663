import type { ClickHouseSettings } from '@clickhouse/client';

const MIB = 1024 ** 2;

/** For statements over all visitors of a test or a period: groups beyond these sizes use the disk. */
export const MEMORY_BOUNDS: ClickHouseSettings = {
  max_bytes_before_external_group_by: String(512 * MIB),
  max_bytes_before_external_sort: String(512 * MIB),
};
