import { statSync } from 'node:fs';
import type { Config } from './config.ts';
import { configurationStores } from './configuration-stores.ts';
import type { GeneratedKey } from './features/provisioning/provision-plan.ts';
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
  if (config.provisionFile !== undefined) return applyFile(config.provisionFile, handle);
  return (await hasProperties(handle)) ? { demo: false, generatedKeys: [] } : createDemo(handle);
}

// Imported lazily: most starts provision nothing, and the YAML parser is slow to load.

async function applyFile(file: string, { database }: DatabaseHandle): Promise<FirstStart> {
  const { readInput, reportingMistakes } = await import('./features/provisioning/provision-input.ts');
  const { readProvisionText } = await import('./features/provisioning/provision-file.ts');
  const { applyProvision } = await import('./features/provisioning/provision-apply.ts');
  const text = await readInput(file, 'PROVISION_FILE');
  const { generatedKeys } = await reportingMistakes(file, false, async () =>
    applyProvision(database, configurationStores, readProvisionText(text)),
  );
  return { demo: false, generatedKeys };
}

async function createDemo({ database }: DatabaseHandle): Promise<FirstStart> {
  const { provisionDemo } = await import('./features/provisioning/demo-property.ts');
  const result = await provisionDemo(database, configurationStores);
  return { demo: result !== undefined, generatedKeys: result?.generatedKeys ?? [] };
}
