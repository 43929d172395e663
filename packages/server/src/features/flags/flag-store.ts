import type { FlagSettings } from '../../storage/configuration-settings.ts';
import { type Database, newId, nextPosition, touchProperty } from '../../storage/database.ts';
import type { EnvironmentFlagConfiguration, Flag } from '../../storage/property-configuration.ts';

export async function listFlags(database: Database, propertyId: string): Promise<Flag[]> {
  const rows = await database
    .selectFrom('flags')
    .selectAll()
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  const configurations = await listConfigurations(database, propertyId);
  return rows.map((row) => ({
    id: row.id,
    key: row.key,
    name: row.name,
    ...(row.description === null ? {} : { description: row.description }),
    tags: JSON.parse(row.tags),
    owner: row.owner,
    type: row.type,
    defaultValue: JSON.parse(row.default_value),
    createdAt: row.created_at,
    version: row.version,
    configurations: configurations.get(row.id) ?? [],
  }));
}

async function listConfigurations(
  database: Database,
  propertyId: string,
): Promise<Map<string, EnvironmentFlagConfiguration[]>> {
  const rows = await database
    .selectFrom('flag_configurations as configuration')
    .innerJoin('environments as environment', (join) =>
      join
        .onRef('environment.property_id', '=', 'configuration.property_id')
        .onRef('environment.id', '=', 'configuration.environment_id'),
    )
    .selectAll('configuration')
    .where('configuration.property_id', '=', propertyId)
    .orderBy('environment.position')
    .execute();
  const byFlag = new Map<string, EnvironmentFlagConfiguration[]>();
  for (const row of rows) {
    const configuration = {
      id: row.id,
      environmentId: row.environment_id,
      enabled: row.enabled === 1,
      value: JSON.parse(row.value),
      rules: JSON.parse(row.rules),
      prerequisites: JSON.parse(row.prerequisites),
    };
    const existing = byFlag.get(row.flag_id);
    if (existing === undefined) byFlag.set(row.flag_id, [configuration]);
    else existing.push(configuration);
  }
  return byFlag;
}

export async function createFlag(database: Database, propertyId: string, flag: FlagSettings): Promise<void> {
  const id = newId('flg');
  const now = Date.now();
  await database
    .insertInto('flags')
    .values({
      id,
      property_id: propertyId,
      key: flag.key,
      type: flag.type,
      ...toColumns(flag),
      version: 1,
      position: await nextPosition(database, 'flags', propertyId),
      created_at: now,
      updated_at: now,
    })
    .execute();
  await saveConfigurations(database, propertyId, id, flag);
  await touchProperty(database, propertyId);
}

/** The type never changes: callers depend on it in their code. */
export async function updateFlag(
  database: Database,
  propertyId: string,
  id: string,
  flag: FlagSettings,
): Promise<void> {
  await database
    .updateTable('flags')
    .set((update) => ({ ...toColumns(flag), version: update('version', '+', 1), updated_at: Date.now() }))
    .where('id', '=', id)
    .execute();
  await saveConfigurations(database, propertyId, id, flag);
  await touchProperty(database, propertyId);
}

async function saveConfigurations(
  database: Database,
  propertyId: string,
  flagId: string,
  flag: FlagSettings,
): Promise<void> {
  for (const [environmentId, configuration] of Object.entries(flag.configurations)) {
    const columns = {
      enabled: configuration.enabled ? 1 : 0,
      value: JSON.stringify(configuration.value),
      rules: JSON.stringify(configuration.rules),
      prerequisites: JSON.stringify(configuration.prerequisites),
    };
    await database
      .insertInto('flag_configurations')
      .values({
        id: newId('cfg'),
        flag_id: flagId,
        property_id: propertyId,
        environment_id: environmentId,
        ...columns,
      })
      .onConflict((conflict) => conflict.columns(['flag_id', 'environment_id']).doUpdateSet(columns))
      .execute();
  }
}

function toColumns({ name, description, tags, owner, defaultValue }: FlagSettings) {
  return {
    name,
    description: description ?? null,
    tags: JSON.stringify(tags),
    owner,
    default_value: JSON.stringify(defaultValue),
  };
}
