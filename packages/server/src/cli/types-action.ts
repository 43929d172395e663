import { writeFile } from 'node:fs/promises';
import { openMemoryDatabase } from '../configuration/database/open-database.ts';
import { configurationModel } from '../definitions.ts';
import { typeDeclarations } from '../features/properties/type-declarations.ts';
import { applyProvision } from '../features/provisioning/provision-apply.ts';
import { readProvisionText } from '../features/provisioning/provision-file.ts';
import { readInput, reportingMistakes } from '../features/provisioning/provision-input.ts';
import { loadProperty } from '../storage/configuration.ts';
import type { DatabaseHandle } from '../storage/database.ts';
import type { PropertyConfiguration } from '../storage/property-configuration.ts';
import { operatorProvisioning } from './operator-writer.ts';
import { requireProperty, withDatabase, withExistingDatabase } from './with-database.ts';

export interface TypesOptions {
  dataDir: string;
  property?: string;
  out?: string;
}

export async function writeTypes(file: string | undefined, options: TypesOptions): Promise<void> {
  const declare = (handle: DatabaseHandle) => declarations(handle, options.property);
  const text =
    file === undefined
      ? await withExistingDatabase(options.dataDir, declare)
      : await fromProvisionFile(file, declare);
  if (options.out === undefined) process.stdout.write(text);
  else await writeFile(options.out, text);
}

/** Applies the file to a temporary database, which checks it and fills in the defaults. */
async function fromProvisionFile(
  file: string,
  declare: (handle: DatabaseHandle) => Promise<string>,
): Promise<string> {
  const text = await readInput(file);
  return reportingMistakes(file, false, () => {
    const source = readProvisionText(text);
    return withDatabase(openMemoryDatabase(), async (handle) => {
      await applyProvision(operatorProvisioning(handle.database), source);
      return declare(handle);
    });
  });
}

async function declarations(handle: DatabaseHandle, only: string | undefined): Promise<string> {
  if (only !== undefined) await requireProperty(handle, only);
  const stored = await configurationModel.property.rows.list(handle.database);
  const properties: PropertyConfiguration[] = [];
  for (const each of stored.filter(({ id }) => only === undefined || id === only)) {
    properties.push(await loadProperty(handle.database, configurationModel, each));
  }
  return typeDeclarations(properties);
}
