import { statSync } from 'node:fs';
import type { Config } from './config.ts';
import { configurationStores } from './configuration-stores.ts';
import type { GeneratedKey } from './features/provisioning/provision-plan.ts';
import { type DatabaseHandle, databasePath, openDatabase } from './storage/database.ts';
import type { OpenSqlite } from './storage/sqlite/sqlite-engine.ts';

export interface FirstStart {
  /** Whether the demo property was made just now. */
  demo: boolean;
  /** Keys whose text is known only now. */
  generatedKeys: readonly GeneratedKey[];
}

/** Opens the configuration; refuses when it was lost, which something to try in its place would hide. */
export async function openExpectedDatabase(
  config: Config,
  hasEvents: boolean,
  openSqlite: OpenSqlite,
): Promise<DatabaseHandle> {
  const file = databasePath(config.dataDir);
  const expected = hasEvents && config.provisionFile === undefined;
  // Before it is opened: SQLite throws the log of an empty file away, and all may still be in there.
  if (expected && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) throw lost(file);
  const handle = await openDatabase(config.dataDir, { openSqlite });
  if (expected && !(await hasProperties(handle))) throw lost(file);
  return handle;
}

function lost(file: string): Error {
  return new Error(
    `There are events, but no configuration: ${file} is missing or empty. Restore it, with config.db-wal; ` +
      'or begin with another one: switchyard apply FILE.',
  );
}

async function hasProperties({ database }: DatabaseHandle): Promise<boolean> {
  return (await configurationStores.listProperties(database)).length > 0;
}

/** Applies the provision file; without one, an empty configuration gets something to try. */
export async function prepareConfiguration(config: Config, handle: DatabaseHandle): Promise<FirstStart> {
  if (config.provisionFile !== undefined) return applyFile(config.provisionFile, handle);
  return (await hasProperties(handle)) ? { demo: false, generatedKeys: [] } : createDemo(handle);
}

// Loaded when needed: most starts have nothing to provision, and reading YAML takes a while to load.

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
