import type { Config } from './config.ts';
import { configurationStores } from './configuration-stores.ts';
import type { GeneratedKey } from './features/provisioning/provision-plan.ts';
import type { DatabaseHandle } from './storage/database.ts';

export interface FirstStart {
  /** Whether the demo property was made just now. */
  demo: boolean;
  /** Keys whose text is known only now. */
  generatedKeys: readonly GeneratedKey[];
}

/** Applies the provision file; without one, an empty configuration gets something to try. */
export async function prepareConfiguration(config: Config, handle: DatabaseHandle): Promise<FirstStart> {
  if (config.provisionFile !== undefined) return applyFile(config.provisionFile, handle);
  const known = await configurationStores.listProperties(handle.database);
  return known.length > 0 ? { demo: false, generatedKeys: [] } : createDemo(handle);
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
