import { DAY_MS } from '@switchyard/core/time';
import type { EventChecksum, EventKind } from '../../store/checksum-text.ts';
import { CHECKSUM_FIELDS, CHECKSUM_SEPARATOR } from '../../store/checksum-text.ts';
import type { Positions } from '../../store/event-store.ts';
import { SqlValues } from '../connection/sql-values.ts';
import type { QueryContext } from '../queries/query-context.ts';
import { countsOnce } from '../queries/repeated-events.ts';
import type { TableNames } from '../schema/table-names.ts';

type FieldsOf<Kind extends EventKind> = (typeof CHECKSUM_FIELDS)[Kind]['fields'][number];

interface Table<Kind extends EventKind> {
  name: 'exposures' | 'conversions' | 'feedback' | 'collects' | 'session_events';
  /** SQL for each field; null if it is missing. */
  columns: Record<FieldsOf<Kind>, string>;
}

const number = (column: string) => `toString(${column})`;
const SESSION_OR_NONE = 'if(has_session, session_id, NULL)';

const TABLES: { [Kind in EventKind]: Table<Kind> } = {
  exposures: {
    name: 'exposures',
    columns: {
      sessionId: 'session_id',
      splitTestKey: 'split_test',
      variationKey: 'variation',
      at: number('happened_at'),
      receivedAt: number('received_at'),
      clientAt: number('client_at'),
      phase: number('phase'),
      bot: "if(bot, '1', NULL)",
      attributes: 'attributes',
    },
  },
  conversion: {
    name: 'conversions',
    columns: {
      sessionId: SESSION_OR_NONE,
      goalId: 'goal',
      direction: number('direction'),
      amountMicros: number('amount_micros'),
      receivedAt: number('received_at'),
      metadata: 'metadata',
    },
  },
  feedback: {
    name: 'feedback',
    columns: {
      id: 'feedback_id',
      feedbackTypeId: 'feedback_type',
      sessionId: SESSION_OR_NONE,
      option: 'option',
      message: 'message',
      metadata: 'metadata',
      receivedAt: number('received_at'),
    },
  },
  collect: {
    name: 'collects',
    columns: {
      sessionId: 'session_id',
      visitorId: 'visitor_id',
      userId: 'user_id',
      attributes: 'attributes',
      country: "nullIf(country, '')",
      device: 'device',
      browser: 'browser',
      os: 'os',
      receivedAt: number('received_at'),
    },
  },
  session_event: {
    name: 'session_events',
    columns: {
      sessionId: 'session_id',
      type: 'toString(type)',
      at: number('happened_at'),
      clientAt: number('client_at'),
      name: 'name',
      url: 'url',
      referrer: 'referrer',
      title: 'title',
      properties: 'properties',
    },
  },
};

/** They read everything that is stored. */
const MAX_SECONDS = 30 * 60;

type ChecksumRow = [kind: EventKind, propertyId: string, day: string, count: string, checksum: string];

/** See `checksum-text.ts`. */
export async function checksums({ clickhouse }: QueryContext, upTo?: Positions): Promise<EventChecksum[]> {
  const kinds = Object.keys(TABLES) as EventKind[];
  const values = new SqlValues();
  const within = upTo === undefined ? 'true' : isWithin(upTo, values);
  const rows = await clickhouse.rows<ChecksumRow>(
    kinds.map((kind) => selectOf(clickhouse.tables, kind, within)).join('\nUNION ALL\n'),
    values.parameters,
    undefined,
    { max_execution_time: MAX_SECONDS },
  );
  return rows.map(([kind, propertyId, day, count, checksum]) => ({
    propertyId,
    kind,
    day: Number(day),
    count: Number(count),
    checksum,
  }));
}

function isWithin(upTo: Positions, values: SqlValues): string {
  const ends = Object.entries(upTo).map(
    ([source, seq]) => `(source = ${values.text(source)} AND seq <= ${values.integer(seq)})`,
  );
  return ends.length === 0 ? 'false' : `(${ends.join(' OR ')})`;
}

function selectOf(tables: TableNames, kind: EventKind, within: string): string {
  const { name, columns } = TABLES[kind];
  const { fields, dayOf } = CHECKSUM_FIELDS[kind];
  const sqlOf = columns as Record<string, string>;
  const values = fields.map((field) => `ifNull(concat('+', ${sqlOf[field]}), '-')`);
  const line = `concat(${values.join(`, '${CHECKSUM_SEPARATOR}', `)})`;
  const time = dayOf === 'at' ? 'happened_at' : 'received_at';
  const isCounted =
    name === 'conversions' || name === 'feedback'
      ? countsOnce(tables)
      : name === 'session_events'
        ? "type <> 'heartbeat'"
        : 'true';
  return `SELECT '${kind}' AS kind, property, ${time} - positiveModulo(${time}, ${DAY_MS}) AS day, count(),
      toString(sum(toUInt128(reinterpretAsUInt64(substring(MD5(${line}), 9, 8)))))
    FROM ${tables.of(name)} WHERE ${isCounted} AND ${within} GROUP BY property, day`;
}
