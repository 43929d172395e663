import { type Database, nextPosition } from '../../configuration/database/database.ts';
import type { ItemRows } from '../../configuration/definitions/collection-definition.ts';
import type {
  EnvironmentFlagConfiguration,
  Flag,
} from '../../configuration/property/property-configuration.ts';
import { measuredByConfiguration, saveMeasuredRules } from './measured-rule-store.ts';

async function listFlags(database: Database, propertyId: string): Promise<Flag[]> {
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
    ...(row.format === null ? {} : { format: row.format }),
    ...(row.schema === null ? {} : { schema: JSON.parse(row.schema) }),
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
  const measured = await measuredByConfiguration(database, propertyId);
  const byFlag = new Map<string, EnvironmentFlagConfiguration[]>();
  for (const row of rows) {
    const own = measured.get(row.id);
    const configuration = {
      id: row.id,
      environmentId: row.environment_id,
      enabled: row.enabled === 1,
      value: JSON.parse(row.value),
      rules: JSON.parse(row.rules),
      prerequisites: JSON.parse(row.prerequisites),
      ...(own && { measured: own }),
    };
    const existing = byFlag.get(row.flag_id);
    if (existing === undefined) byFlag.set(row.flag_id, [configuration]);
    else existing.push(configuration);
  }
  return byFlag;
}

export const flagRows: ItemRows<Flag> = {
  list: listFlags,
  async insert(database, propertyId, flag, at) {
    await database
      .insertInto('flags')
      .values({
        id: flag.id,
        property_id: propertyId,
        key: flag.key,
        type: flag.type,
        ...toColumns(flag),
        position: await nextPosition(database, 'flags', propertyId),
        created_at: flag.createdAt,
        updated_at: at,
      })
      .execute();
    await saveConfigurations(database, propertyId, flag);
  },
  /** The type never changes: callers depend on it in their code. */
  async update(database, propertyId, flag, at) {
    await database
      .updateTable('flags')
      .set({ ...toColumns(flag), updated_at: at })
      .where('id', '=', flag.id)
      .execute();
    await saveConfigurations(database, propertyId, flag);
  },
  async remove(database, _propertyId, { id }) {
    await database.deleteFrom('flags').where('id', '=', id).execute();
  },
};

async function saveConfigurations(database: Database, propertyId: string, flag: Flag): Promise<void> {
  const { id: flagId, configurations } = flag;
  let removed = database.deleteFrom('flag_configurations').where('flag_id', '=', flagId);
  if (configurations.length > 0) {
    removed = removed.where(
      'id',
      'not in',
      configurations.map(({ id }) => id),
    );
  }
  await removed.execute();
  for (const { id, environmentId, measured, ...configuration } of configurations) {
    const columns = {
      enabled: configuration.enabled ? 1 : 0,
      value: JSON.stringify(configuration.value),
      rules: JSON.stringify(configuration.rules),
      prerequisites: JSON.stringify(configuration.prerequisites),
    };
    await database
      .insertInto('flag_configurations')
      .values({ id, flag_id: flagId, property_id: propertyId, environment_id: environmentId, ...columns })
      .onConflict((conflict) => conflict.columns(['flag_id', 'environment_id']).doUpdateSet(columns))
      .execute();
    await saveMeasuredRules(database, propertyId, id, measured ?? []);
  }
}

function toColumns({ name, description, tags, owner, format, schema, defaultValue, version }: Flag) {
  return {
    name,
    description: description ?? null,
    tags: JSON.stringify(tags),
    owner,
    format: format ?? null,
    schema: schema === undefined ? null : JSON.stringify(schema),
    default_value: JSON.stringify(defaultValue),
    version,
  };
}
