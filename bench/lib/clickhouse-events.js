// The same events for both engines: of a split test whose visitors have one session each and may reach three goals.
import { CONVERSIONS, PROPERTY, visitorEntries } from './fixture.js';

const DAY = 24 * 60 * 60 * 1000;
const SOURCE = 'bench';
const BATCH_VISITORS = 4000;
/** Rows per statement; one that takes minutes would time out. */
const STATEMENT_VISITORS = 1_000_000;
const EVENTS_PER_VISITOR = 1 + CONVERSIONS.reduce((sum, { every }) => sum + 1 / every, 0);
/** A visitor has at most this many entries. */
const ENTRIES = 1 + 1 + CONVERSIONS.length;
const EVENTS_PER_REQUEST = 512;

export function createTestEvents(count) {
  const visitors = Math.round(count / EVENTS_PER_VISITOR);
  const now = Date.now();
  const first = now - 14 * DAY;
  const spacing = Math.floor((13 * DAY) / visitors);
  const midnight = (time) => time - (time % DAY);
  return {
    visitors,
    /** As the server asks for the results of a running test. */
    query: {
      propertyId: PROPERTY,
      splitTestKey: 'hero',
      variationKeys: ['control', 'b'],
      phase: 1,
      from: 0,
      to: Number.MAX_SAFE_INTEGER,
      startedAt: first,
      until: Number.MAX_SAFE_INTEGER,
      days: { from: midnight(first), to: midnight(now), step: 1 },
      goalIds: CONVERSIONS.map(({ goalId }) => goalId),
      revenueGoalIds: ['revenue'],
      earlyDays: 3,
      preDays: 14,
    },
    appendTo: (store) => append(store, visitors, (visitor) => first + visitor * spacing),
    insertInto: (url, database) => insert(url, database, visitors, `${first} + visitor * ${spacing}`),
  };
}

/** DuckDB has dictionaries of terms and sessions, which only `append` fills. */
async function append(store, visitors, timeOf) {
  for (let visitor = 1; visitor <= visitors; ) {
    const entries = [];
    for (const end = Math.min(visitors, visitor + BATCH_VISITORS - 1); visitor <= end; visitor++) {
      entries.push(...visitorEntries(visitor * ENTRIES, visitor, timeOf(visitor)));
    }
    await store.append(SOURCE, entries);
  }
}

/** ClickHouse computes the rows of `visitorEntries` itself: sending them to an emulated engine would take hours. */
async function insert(url, database, visitors, at) {
  const run = async (statement) => {
    const response = await fetch(url, { method: 'POST', body: statement });
    const text = await response.text();
    if (!response.ok) throw new Error(`${text}\n${statement}`);
  };
  for (let from = 1; from <= visitors; from += STATEMENT_VISITORS) {
    const count = Math.min(STATEMENT_VISITORS, visitors - from + 1);
    const all = `(SELECT number AS visitor, ${at} AS at FROM numbers(${from}, ${count}))`;
    for (const [table, columns, source] of rows(all)) {
      await run(`INSERT INTO ${database}.${table} (${EVENT_COLUMNS}, ${columns}) SELECT ${source}`);
    }
  }
  await run(
    `INSERT INTO ${database}.watermarks (source, seq) VALUES ('${SOURCE}', ${(visitors + 1) * ENTRIES})`,
  );
}

const EVENT_COLUMNS = 'source, seq, ordinal, property, session_id, happened_at, received_at';

/** The values of EVENT_COLUMNS for the entry of a visitor with this number. */
function eventValues(entry, at = 'at') {
  const seq = `visitor * ${ENTRIES} + ${entry}`;
  const session = "concat('s', toString(visitor))";
  return `'${SOURCE}', ${seq}, (${seq}) * ${EVENTS_PER_REQUEST}, '${PROPERTY}', ${session}, ${at}, ${at}`;
}

/** Table, columns and SELECT of everything that is stored about the visitors. */
function rows(visitors) {
  const later = 'at + 60000';
  return [
    [
      'collects',
      'visitor_id, country, device, browser, os',
      `${eventValues(0)}, concat('v', toString(visitor)), '', 'desktop', 'Firefox', 'Linux' FROM ${visitors}`,
    ],
    ['session_events', 'type', `${eventValues(0)}, 'heartbeat' FROM ${visitors}`],
    ['session_starts', 'last_at', `${eventValues(0)}, at FROM ${visitors}`],
    [
      'exposures',
      'split_test, variation, phase, bot',
      `${eventValues(1)}, 'hero', if(intDiv(visitor, 7) % 2 = 0, 'control', 'b'), 1, false FROM ${visitors}`,
    ],
    ['session_starts', 'last_at', `${eventValues(1)}, at FROM ${visitors}`],
    ...CONVERSIONS.flatMap(({ goalId, every }, i) => {
      const amount = goalId === 'revenue' ? '1000000 * (1 + visitor % 97)' : '0';
      const values = eventValues(2 + i, later);
      const from = `FROM ${visitors} WHERE visitor % ${every} = 1`;
      return [
        [
          'conversions',
          'goal, has_session, event_id, direction, amount_micros',
          `${values}, '${goalId}', true, hex(sipHash128(visitor, '${goalId}')), 1, ${amount} ${from}`,
        ],
        ['session_starts', 'last_at', `${values}, ${later} ${from}`],
      ];
    }),
  ];
}
