import { Command, Option } from 'commander';
import { dataDirOption } from './command-options.ts';
import type { ExportOptions } from './provision-actions.ts';

export function exportCommand(): Command {
  return new Command('export')
    .description('Print the configuration as a provision file that "apply" accepts.')
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
    .action(async (options: ExportOptions) => {
      const { exportAll } = await import('./provision-actions.ts');
      await exportAll(options);
    });
}
