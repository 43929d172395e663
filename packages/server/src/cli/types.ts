import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { DatabaseHandle } from '../configuration/database/database.ts';
import { openMemoryDatabase } from '../configuration/database/open-database.ts';
import type { PropertyConfiguration } from '../configuration/property/property-configuration.ts';
import { loadProperty } from '../configuration/snapshot/configuration.ts';
import { typeDeclarations } from '../features/properties/type-declarations.ts';
import { applyProvision } from '../features/provisioning/provision-apply.ts';
import { readProvisionText } from '../features/provisioning/provision-file.ts';
import { readInput, reportingMistakes } from '../features/provisioning/provision-input.ts';
import { configurationModel } from '../start/definitions.ts';
import { dataDirOption } from './options/command-options.ts';
import { operatorProvisioning } from './stored-data/operator-writer.ts';
import { requireProperty, withDatabase, withExistingDatabase } from './stored-data/with-database.ts';

export function typesCommand(command: Command): void {
  command
    .argument('[file]', 'provision file to read instead of the data directory, "-" for standard input')
    .addOption(dataDirOption())
    .option('--property <id>', 'only this property (default: one interface per property)')
    .option('--out <file>', 'output file (default: standard output)')
    .addHelpText(
      'after',
      `
Pass the interface to the SDK, so that a misspelled key does not compile:
  const client = createSwitchyard<Shop>({ … });

Exit codes: 0 written, 1 failed.

Examples:
  $ switchyard types --property shop --out src/switchyard.ts
  $ switchyard types switchyard.yaml > src/switchyard.ts`,
    )
    .action(writeTypes);
}

interface TypesOptions {
  dataDir: string;
  property?: string;
  out?: string;
}

async function writeTypes(file: string | undefined, options: TypesOptions): Promise<void> {
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
