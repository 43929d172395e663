import { randomUUID } from 'node:crypto';
import { ERASURES_SOURCE } from '../../store/event-store.ts';
import type { QueryContext } from '../queries/query-context.ts';
import { COLUMNS } from '../schema/table-columns.ts';

/** Other nodes notice that the position, which is the time, has changed. */
export async function announceErasure({ clickhouse }: QueryContext): Promise<void> {
  await clickhouse.insert(
    'watermarks',
    COLUMNS.watermarks,
    [[ERASURES_SOURCE, Date.now()]],
    `${ERASURES_SOURCE}:${randomUUID()}`,
  );
}
