import { DAY_MS } from '@switchyard/core/time';
import type { EventChecksum, EventKind } from '../../store/checksum-text.ts';
import { CHECKSUM_FIELDS, CHECKSUM_SEPARATOR } from '../../store/checksum-text.ts';
import type { Positions } from '../../store/event-store.ts';
import { quoteText, rowsOf } from '../connection/sql.ts';
import type { SourceList } from '../ingest/lookup/source-list.ts';
import type { QueryContext } from '../queries/query-context.ts';
import { SESSION_EVENT_TYPES } from '../schema/duckdb-schema.ts';

/** Texts that start with a byte order mark are stored with two, see `escapeByteOrderMark`. */
const text = (column: string) => `regexp_replace(${column}, '^\uFEFF', '')`;

const term = (column: string) => text(`(SELECT text FROM terms WHERE terms.id = stored.${column})`);

const number = (column: string) => `${column}::VARCHAR`;

const SESSION_ID = text('sessions.session_id');

const TYPE_NAMES = Object.entries(SESSION_EVENT_TYPES).map(([name, type]) => `WHEN ${type} THEN '${name}'`);

type FieldsOf<Kind extends EventKind> = (typeof CHECKSUM_FIELDS)[Kind]['fields'][number];

interface Table<Kind extends EventKind> {
  name: string;
  /** SQL for each field; null if it is missing. */
  columns: Record<FieldsOf<Kind>, string>;
  where?: string;
}

const TABLES: { [Kind in EventKind]: Table<Kind> } = {
  exposures: {
    name: 'exposures',
    columns: {
      sessionId: SESSION_ID,
      splitTestKey: term('split_test'),
      variationKey: term('variation'),
      at: number('happened_at'),
      receivedAt: number('received_at'),
      clientAt: number('client_at'),
      phase: number('phase'),
      bot: `CASE WHEN bot THEN '1' END`,
      attributes: text('attributes'),
    },
  },
  conversion: {
    name: 'conversions',
    columns: {
      sessionId: SESSION_ID,
      goalId: term('goal'),
      direction: number('direction'),
      amountMicros: number('amount_micros'),
      receivedAt: number('happened_at'),
      metadata: text('metadata'),
    },
  },
  feedback: {
    name: 'feedback',
    columns: {
      id: text('feedback_id'),
      feedbackTypeId: term('feedback_type'),
      sessionId: text('stored.session_id'),
      option: text('option'),
      message: text('message'),
      metadata: text('metadata'),
      receivedAt: number('happened_at'),
    },
  },
  collect: {
    name: 'collects',
    columns: {
      sessionId: SESSION_ID,
      visitorId: text('visitor_id'),
      userId: text('user_id'),
      attributes: text('attributes'),
      country: term('country'),
      device: term('device'),
      browser: term('browser'),
      os: term('os'),
      receivedAt: number('received_at'),
    },
  },
  session_event: {
    name: 'session_events',
    columns: {
      sessionId: SESSION_ID,
      type: `CASE type ${TYPE_NAMES.join(' ')} END`,
      at: number('happened_at'),
      clientAt: number('client_at'),
      name: text('name'),
      url: text('url'),
      referrer: text('referrer'),
      title: text('title'),
      properties: text('properties'),
    },
    where: `type <> ${SESSION_EVENT_TYPES.heartbeat}`,
  },
};

/** See `checksum-text.ts`. The caller holds a snapshot. */
export async function checksums(
  { connection, terms, sources }: QueryContext,
  upTo?: Positions,
): Promise<EventChecksum[]> {
  const all: EventChecksum[] = [];
  const within = upTo === undefined ? 'true' : isWithin(sources, upTo);
  for (const kind of Object.keys(TABLES) as EventKind[]) {
    const rows = await rowsOf<[number, bigint, bigint, string]>(connection, statementOf(kind, within));
    for (const [property, day, count, checksum] of rows) {
      const propertyId = terms.textOf(property) ?? '';
      all.push({ propertyId, kind, day: Number(day), count: Number(count), checksum });
    }
  }
  return all;
}

function isWithin(sources: SourceList, upTo: Positions): string {
  const ends = sources.all.map(({ id, name }) => {
    const end = upTo[name];
    return `(source = ${id} AND ${end === undefined ? 'false' : `seq <= ${end}`})`;
  });
  return ends.length === 0 ? 'false' : `(${ends.join(' OR ')})`;
}

function statementOf(kind: EventKind, within: string): string {
  const { name, columns, where = 'true' } = TABLES[kind];
  const { fields, dayOf } = CHECKSUM_FIELDS[kind];
  const sqlOf = columns as Record<string, string>;
  const values = fields.map((field) => `coalesce('+' || ${sqlOf[field]}, '-')`);
  const line = `concat_ws(${quoteText(CHECKSUM_SEPARATOR)}, ${values.join(', ')})`;
  const time = `(${sqlOf[dayOf]})::BIGINT`;
  return `SELECT property, (${time} - (${time} % ${DAY_MS} + ${DAY_MS}) % ${DAY_MS}) AS day, count(*),
                 sum(md5_number_lower(${line}))::VARCHAR
          FROM ${name} AS stored LEFT JOIN sessions USING (property, session_key) WHERE ${where} AND ${within}
          GROUP BY property, day`;
}
