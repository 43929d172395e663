import { randomBytes } from 'node:crypto';
import { BIGINT, type DuckDBConnection, DuckDBScalarFunction, INTEGER, VARCHAR } from '@duckdb/node-api';
import { KeyHasher } from '../lookup/key-hasher.ts';
import { execute, rowsOf } from '../sql.ts';

/**
 * `ordinal`: the order of arrival, derived from the journal position (see `request-rows.ts`); negative in rows from
 * earlier versions. `client_at`: the time sent by the client, if it was implausible.
 */
const TABLES = {
  store_state: 'watermark BIGINT NOT NULL, dead_rows BIGINT NOT NULL, hash_key VARCHAR NOT NULL',
  sessions: `property INTEGER NOT NULL, session_key BIGINT NOT NULL, session_id VARCHAR NOT NULL,
    started_at BIGINT NOT NULL`,
  exposures: `property INTEGER NOT NULL, session_key BIGINT NOT NULL, split_test INTEGER NOT NULL,
    variation INTEGER NOT NULL, happened_at BIGINT NOT NULL, received_at BIGINT NOT NULL, attributes VARCHAR,
    unit_key BIGINT, phase INTEGER, bot BOOLEAN DEFAULT false, ordinal BIGINT NOT NULL, client_at BIGINT`,
  conversions: `property INTEGER NOT NULL, session_key BIGINT, goal INTEGER NOT NULL, direction INTEGER NOT NULL,
    amount_micros BIGINT NOT NULL, happened_at BIGINT NOT NULL, metadata VARCHAR, unit_key BIGINT,
    ordinal BIGINT NOT NULL`,
  feedback: `property INTEGER NOT NULL, session_key BIGINT, session_id VARCHAR, feedback_id VARCHAR NOT NULL,
    feedback_type INTEGER NOT NULL, option VARCHAR, message VARCHAR, metadata VARCHAR, happened_at BIGINT NOT NULL,
    ordinal BIGINT NOT NULL`,
  session_events: `property INTEGER NOT NULL, session_key BIGINT NOT NULL, type INTEGER NOT NULL,
    happened_at BIGINT NOT NULL, name VARCHAR, url VARCHAR, referrer VARCHAR, title VARCHAR, properties VARCHAR,
    ordinal BIGINT NOT NULL, client_at BIGINT`,
  collects: `property INTEGER NOT NULL, session_key BIGINT NOT NULL, seq BIGINT NOT NULL,
    received_at BIGINT NOT NULL, seen_until BIGINT NOT NULL, visitor_key BIGINT NOT NULL, visitor_id VARCHAR NOT NULL,
    user_key BIGINT, user_id VARCHAR, attributes VARCHAR, country INTEGER NOT NULL, device INTEGER NOT NULL,
    browser INTEGER NOT NULL, os INTEGER NOT NULL, visitor_change TINYINT NOT NULL`,
};

type Table = keyof typeof TABLES;

const OLD_KEYS = `
  CREATE TABLE session_keys AS
    SELECT property, session_key, session_key_of(property, session_id) AS new_session_key FROM sessions;
  CREATE TABLE visitor_keys AS
    SELECT property, visitor_key AS unit_key, visitor_key_of(property, any_value(visitor_id)) AS new_unit_key
    FROM collects GROUP BY property, visitor_key;`;

/** A row without a session keeps its old key, so that the migration never fails. */
const SESSION_KEY = 'coalesce(new_session_key, session_key)';
const WITH_SESSION = 'LEFT JOIN session_keys USING (property, session_key)';
const WITH_UNIT = `${WITH_SESSION} LEFT JOIN visitor_keys USING (property, unit_key)`;

/** Smaller than the ordinals of new rows; ordered by table, then by row. */
const ordinal = (table: number) => `old.rowid + (${table} - 4) * ${2 ** 50}`;

const COPIES: Record<Exclude<Table, 'store_state'>, string> = {
  sessions: `SELECT property, ${SESSION_KEY}, session_id, started_at FROM sessions AS old ${WITH_SESSION}`,
  session_events: `SELECT property, ${SESSION_KEY}, type, happened_at, name, url, referrer, title, properties,
    ${ordinal(0)}, NULL FROM session_events AS old ${WITH_SESSION}`,
  exposures: `SELECT property, ${SESSION_KEY}, split_test, variation, happened_at, received_at, attributes,
    new_unit_key, phase, bot, ${ordinal(1)}, NULL FROM exposures AS old ${WITH_UNIT}`,
  conversions: `SELECT property, ${SESSION_KEY}, goal, direction, amount_micros, happened_at, metadata, new_unit_key,
    ${ordinal(2)} FROM conversions AS old ${WITH_UNIT}`,
  feedback: `SELECT property, ${SESSION_KEY}, session_id, feedback_id, feedback_type, option, message, metadata,
    happened_at, ${ordinal(3)} FROM feedback AS old ${WITH_SESSION}`,
  collects: `SELECT property, ${SESSION_KEY}, seq, received_at, seen_until, visitor_key_of(property, visitor_id),
    visitor_id, user_key_of(property, user_id), user_id, attributes, country, device, browser, os, coalesce(names, 2)
    FROM collects AS old ${WITH_SESSION}`,
};

/** For a `KeyHasher`. */
export function newHashKey(): string {
  return randomBytes(16).toString('hex');
}

/**
 * Replaces the keys of sessions, visitors and users by keyed hashes, for which attackers cannot craft collisions. Keeps
 * the order of rows, because the zone maps depend on it.
 */
export async function rekeySessions(connection: DuckDBConnection): Promise<void> {
  const hashKey = newHashKey();
  await registerKeyFunctions(connection, new KeyHasher(hashKey));
  await connection.run(OLD_KEYS);
  for (const [table, columns] of Object.entries(TABLES)) {
    await connection.run(`CREATE TABLE new_${table} (${columns})`);
  }
  await execute(
    connection,
    'INSERT INTO new_store_state SELECT coalesce(max(watermark), 0), coalesce(max(dead_rows), 0), $1 FROM store_state',
    [hashKey],
  );
  for (const [table, rows] of Object.entries(COPIES)) {
    await connection.run(`INSERT INTO new_${table} ${rows} ORDER BY old.rowid`);
  }
  for (const table of Object.keys(TABLES)) {
    await connection.run(`DROP TABLE ${table}; ALTER TABLE new_${table} RENAME TO ${table}`);
  }
  await connection.run('DROP TABLE session_keys; DROP TABLE visitor_keys');
}

/** Registers the SQL functions `session_key_of(property, session_id)` etc. until the file is closed. */
async function registerKeyFunctions(connection: DuckDBConnection, keys: KeyHasher): Promise<void> {
  const properties = new Map(await rowsOf<[number, string]>(connection, 'SELECT id, text FROM terms'));
  const register = (name: string, keyOf: (propertyId: string, id: string) => bigint) =>
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({
        name,
        parameterTypes: [INTEGER, VARCHAR],
        returnType: BIGINT,
        mainFunction(_info, input, output) {
          const [property, id] = [input.getColumnVector(0), input.getColumnVector(1)];
          for (let row = 0; row < input.rowCount; row++) {
            const text = id.getItem(row) as string | null;
            const propertyId = properties.get(property.getItem(row) as number) ?? '';
            output.setItem(row, text === null ? null : keyOf(propertyId, text));
          }
          output.flush();
        },
      }),
    );
  register('session_key_of', (propertyId, id) => keys.sessionHash(propertyId, id).value);
  register('visitor_key_of', (propertyId, id) => keys.visitorKey(propertyId, id));
  register('user_key_of', (propertyId, id) => keys.userKey(propertyId, id));
}
