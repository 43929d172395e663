import { DEFAULT_PRIVACY } from '@switchyard/core/api/privacy';
import { DEFAULT_STATISTICS } from '@switchyard/core/api/statistics';
import { recordAudited } from '../../configuration/audit/audit-log.ts';
import { memberSubject } from '../../configuration/audit/audited-rows.ts';
import type { Database } from '../../configuration/database/database.ts';
import type { PropertyDefinition } from '../../configuration/definitions/collection-definition.ts';
import type {
  PropertyConfiguration,
  StoredProperty,
} from '../../configuration/property/property-configuration.ts';

export const propertyRows: PropertyDefinition['rows'] = {
  list: listProperties,
  insert: insertProperty,
  update: updateProperty,
  remove: removeProperty,
};

async function listProperties(database: Database, id?: string): Promise<StoredProperty[]> {
  let query = database.selectFrom('properties').selectAll().orderBy('position');
  if (id !== undefined) query = query.where('id', '=', id);
  const rows = await query.execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    retentionDays: row.retention_days,
    allowedOrigins: row.allowed_origins === null ? null : JSON.parse(row.allowed_origins),
    hashSeed: row.hash_seed,
    holdout: row.holdout,
    holdoutPeriod:
      row.holdout_since === null
        ? null
        : { since: row.holdout_since, largest: row.holdout_largest ?? row.holdout },
    statistics: { ...DEFAULT_STATISTICS, ...(row.statistics === null ? {} : JSON.parse(row.statistics)) },
    aaTest: row.aa_test,
    ...(row.record_evaluations === 1 && { recordEvaluations: true as const }),
    displayCurrency: row.display_currency,
    timeZone: row.time_zone,
    privacy: { ...DEFAULT_PRIVACY, ...(row.privacy === null ? {} : JSON.parse(row.privacy)) },
    version: row.version,
    createdAt: row.created_at,
  }));
}

async function insertProperty(
  database: Database,
  property: PropertyConfiguration,
  at: number,
): Promise<void> {
  const { last } = await database
    .selectFrom('properties')
    .select((select) => select.fn.max<number | null>('position').as('last'))
    .executeTakeFirstOrThrow();
  await database
    .insertInto('properties')
    .values({
      id: property.id,
      ...toColumns(property),
      position: (last ?? 0) + 1,
      created_at: property.createdAt,
      updated_at: at,
    })
    .execute();
}

async function updateProperty(
  database: Database,
  property: PropertyConfiguration,
  at: number,
): Promise<void> {
  await database
    .updateTable('properties')
    .set({ ...toColumns(property), updated_at: at })
    .where('id', '=', property.id)
    .execute();
}

/** Deletes its items too, but not its history. Its events are deleted by an erasure. */
async function removeProperty(database: Database, id: string): Promise<void> {
  // Split tests refer to goals, metrics and feedback types, which cannot be deleted before them.
  await database.deleteFrom('split_tests').where('property_id', '=', id).execute();
  const keys = await database.selectFrom('api_keys').select('id').where('property_id', '=', id).execute();
  const members = await database
    .selectFrom('members')
    .select('account_id')
    .where('property_id', '=', id)
    .execute();
  await database.deleteFrom('properties').where('id', '=', id).execute();
  await recordAudited(
    database,
    'key',
    keys.map((key) => key.id),
  );
  await recordAudited(
    database,
    'member',
    members.map((member) => memberSubject(id, member.account_id)),
  );
}

function toColumns(property: PropertyConfiguration) {
  const { allowedOrigins } = property;
  return {
    name: property.name,
    retention_days: property.retentionDays,
    allowed_origins: allowedOrigins === null ? null : JSON.stringify(allowedOrigins),
    hash_seed: property.hashSeed,
    holdout: property.holdout,
    holdout_since: property.holdoutPeriod?.since ?? null,
    holdout_largest: property.holdoutPeriod?.largest ?? null,
    statistics: explicitSettings(property.statistics, DEFAULT_STATISTICS),
    aa_test: property.aaTest,
    record_evaluations: property.recordEvaluations ? 1 : 0,
    display_currency: property.displayCurrency,
    time_zone: property.timeZone,
    privacy: explicitSettings(property.privacy, DEFAULT_PRIVACY),
    version: property.version,
  };
}

/** Defaults are not stored, so that properties follow when they improve. */
function explicitSettings<T extends object>(settings: T, defaultSettings: T): string | null {
  const defaults = new Map<string, unknown>(Object.entries(defaultSettings));
  const explicit = Object.entries(settings).filter(
    ([name, value]) => JSON.stringify(defaults.get(name)) !== JSON.stringify(value),
  );
  return explicit.length === 0 ? null : JSON.stringify(Object.fromEntries(explicit));
}
