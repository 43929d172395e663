import { statSync } from 'node:fs';
import type { Config } from './config.ts';
import { configurationStores, createConfigurationWriter } from './configuration-stores.ts';
import type { Provisioning } from './features/provisioning/provision-apply.ts';
import type { GeneratedKey } from './features/provisioning/provision-plan.ts';
import { propertyRules } from './property-rules.ts';
import { OPERATOR, SYSTEM } from './storage/changes/actor.ts';
import { type DatabaseHandle, databasePath, openDatabase } from './storage/database.ts';
import type { OpenSqlite } from './storage/sqlite/sqlite-engine.ts';

export interface FirstStart {
  /** Whether this start created the demo property. */
  demo: boolean;
  /** Keys created by this start, to be shown once. */
  generatedKeys: readonly GeneratedKey[];
}

/** Opens the configuration; throws if it was lost, because creating a demo property would hide the loss. */
export async function openExpectedDatabase(
  config: Config,
  hasEvents: boolean,
  openSqlite: OpenSqlite,
): Promise<DatabaseHandle> {
  const file = databasePath(config.dataDir);
  const expected = hasEvents && config.provisionFile === undefined;
  // Before opening: SQLite deletes the WAL of an empty file, and the WAL may still hold the data.
  if (expected && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) throw configurationLost(file);
  const handle = await openDatabase(config.dataDir, { openSqlite });
  if (expected && !(await hasProperties(handle))) throw configurationLost(file);
  return handle;
}

function configurationLost(file: string): Error {
  return new Error(
    `There are events, but no configuration: ${file} is missing or empty. Restore it together with config.db-wal, ` +
      'or create a new configuration with: switchyard apply FILE.',
  );
}

async function hasProperties({ database }: DatabaseHandle): Promise<boolean> {
  return (await configurationStores.listProperties(database)).length > 0;
}

/** Applies the provision file; without one, adds the demo property to an empty configuration. */
export async function prepareConfiguration(config: Config, handle: DatabaseHandle): Promise<FirstStart> {
  const writer = createConfigurationWriter(handle.database);
  await writer.startHistory();
  const resolve = propertyRules({ allowPrivateWebhooks: config.webhookAllowPrivate });
  if (config.provisionFile !== undefined) {
    const by = { actor: OPERATOR, via: 'file' as const };
    return applyFile(config.provisionFile, { writer, resolve, by });
  }
  if (await hasProperties(handle)) return { demo: false, generatedKeys: [] };
  return createDemo({ writer, resolve, by: { actor: SYSTEM, via: 'file' } });
}

// Imported lazily: most starts provision nothing, and the YAML parser is slow to load.

async function applyFile(file: string, provisioning: Provisioning): Promise<FirstStart> {
  const { readInput, reportingMistakes } = await import('./features/provisioning/provision-input.ts');
  const { readProvisionText } = await import('./features/provisioning/provision-file.ts');
  const { applyProvision } = await import('./features/provisioning/provision-apply.ts');
  const text = await readInput(file, 'PROVISION_FILE');
  const { generatedKeys } = await reportingMistakes(file, false, async () =>
    applyProvision(provisioning, readProvisionText(text)),
  );
  return { demo: false, generatedKeys };
}

async function createDemo(provisioning: Provisioning): Promise<FirstStart> {
  const { provisionDemo } = await import('./features/provisioning/demo-property.ts');
  const { generatedKeys } = await provisionDemo(provisioning);
  return { demo: true, generatedKeys };
}
