import { type Command, Option } from 'commander';
import { exportConfiguration, formatJson, formatYaml } from '../features/provisioning/provision-export.ts';
import { configurationModel } from '../start/definitions.ts';
import { dataDirOption } from './options/command-options.ts';
import { requireProperty, withExistingDatabase } from './stored-data/with-database.ts';

export function exportCommand(command: Command): void {
  command
    .addOption(dataDirOption())
    .addOption(new Option('--format <format>', 'yaml or json').choices(['yaml', 'json']).default('yaml'))
    .option('--property <id>', 'only this property')
    .addHelpText(
      'after',
      `
Secret keys are stored as hashes and cannot be exported; a comment lists their names (YAML only).
Events are not included.

Exit codes: 0 printed, 1 failed.

Examples:
  $ switchyard export > switchyard.yaml
  $ switchyard export --property shop --format json`,
    )
    .action(exportAll);
}

interface ExportOptions {
  dataDir: string;
  format: 'yaml' | 'json';
  property?: string;
}

async function exportAll({ dataDir, format, property }: ExportOptions): Promise<void> {
  const exported = await withExistingDatabase(dataDir, async (handle) => {
    if (property !== undefined) await requireProperty(handle, property);
    return exportConfiguration(handle.database, configurationModel, property);
  });
  process.stdout.write(format === 'json' ? formatJson(exported) : formatYaml(exported));
}
