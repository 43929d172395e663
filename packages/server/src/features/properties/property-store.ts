import { randomBytes } from 'node:crypto';
import { DEFAULT_STATISTICS } from '@switchyard/core/api/statistics';
import type { StoredProperty } from '../../storage/configuration.ts';
import type { PropertySettings } from '../../storage/configuration-settings.ts';
import { type Database, touchProperty } from '../../storage/database.ts';
import { PRODUCTION } from '../../storage/property-configuration.ts';

export async function listProperties(database: Database): Promise<StoredProperty[]> {
  const rows = await database.selectFrom('properties').selectAll().orderBy('position').execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    retentionDays: row.retention_days,
    allowedOrigins: row.allowed_origins === null ? null : JSON.parse(row.allowed_origins),
    hashSeed: row.hash_seed,
    holdout: row.holdout,
    statistics: { ...DEFAULT_STATISTICS, ...(row.statistics === null ? {} : JSON.parse(row.statistics)) },
    aaTest: row.aa_test,
    displayCurrency: row.display_currency,
    version: row.version,
    createdAt: row.created_at,
  }));
}

/** Creates the property together with the environment that every property has. */
export async function createProperty(
  database: Database,
  id: string,
  settings: PropertySettings,
): Promise<void> {
  const now = Date.now();
  const { last } = await database
    .selectFrom('properties')
    .select((select) => select.fn.max<number | null>('position').as('last'))
    .executeTakeFirstOrThrow();
  const position = (last ?? 0) + 1;
  await database
    .insertInto('properties')
    .values({
      id,
      hash_seed: randomBytes(8).toString('hex'),
      ...toColumns(settings),
      version: 1,
      position,
      created_at: now,
      updated_at: now,
    })
    .execute();
  await database
    .insertInto('environments')
    .values({ property_id: id, id: PRODUCTION.id, name: PRODUCTION.name, position: 1, created_at: now })
    .execute();
}

export async function updateProperty(
  database: Database,
  id: string,
  settings: PropertySettings,
): Promise<void> {
  await database.updateTable('properties').set(toColumns(settings)).where('id', '=', id).execute();
  await touchProperty(database, id);
}

function toColumns(settings: PropertySettings) {
  const { name, retentionDays, allowedOrigins, hashSeed, holdout, statistics, aaTest, displayCurrency } =
    settings;
  return {
    name,
    retention_days: retentionDays,
    allowed_origins: allowedOrigins === null ? null : JSON.stringify(allowedOrigins),
    holdout,
    ...(hashSeed === undefined ? {} : { hash_seed: hashSeed }),
    ...(statistics === undefined ? {} : { statistics: JSON.stringify(statistics) }),
    ...(aaTest === undefined ? {} : { aa_test: aaTest }),
    ...(displayCurrency === undefined ? {} : { display_currency: displayCurrency }),
  };
}
