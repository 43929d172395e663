import { randomBytes } from 'node:crypto';
import { DEFAULT_STATISTICS, type StatisticsSettings } from '@switchyard/core/api/statistics';
import type { StoredProperty } from '../../storage/configuration.ts';
import { type Database, touchProperty } from '../../storage/database.ts';
import { PRODUCTION } from '../../storage/property-configuration.ts';

export interface PropertyDefinition {
  name: string;
  retentionDays: number | null;
  allowedOrigins: readonly string[] | null;
  /** Generated once when left out. */
  hashSeed?: string | undefined;
  /** Nobody is held out when left out. */
  holdout?: number | undefined;
  /** Stays as it is when left out. */
  statistics?: StatisticsSettings | undefined;
}

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
    version: row.version,
    createdAt: row.created_at,
  }));
}

/** Creates the property together with the environment that every property has. */
export async function createProperty(
  database: Database,
  id: string,
  definition: PropertyDefinition,
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
      ...toColumns(definition),
      version: 1,
      position,
      created_at: now,
      updated_at: now,
    })
    .execute();
  await database
    .insertInto('environments')
    .values({ property_id: id, ...PRODUCTION, position: 1, created_at: now })
    .execute();
}

export async function updateProperty(
  database: Database,
  id: string,
  definition: PropertyDefinition,
): Promise<void> {
  await database.updateTable('properties').set(toColumns(definition)).where('id', '=', id).execute();
  await touchProperty(database, id);
}

function toColumns(definition: PropertyDefinition) {
  const { name, retentionDays, allowedOrigins, hashSeed, holdout = 0, statistics } = definition;
  return {
    name,
    retention_days: retentionDays,
    allowed_origins: allowedOrigins === null ? null : JSON.stringify(allowedOrigins),
    holdout,
    ...(hashSeed === undefined ? {} : { hash_seed: hashSeed }),
    ...(statistics === undefined ? {} : { statistics: JSON.stringify(statistics) }),
  };
}
