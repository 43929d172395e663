import { Command } from 'commander';
import { dataDirOption, jsonOption } from './command-options.ts';
import type { PlanOptions } from './provision-actions.ts';

export function planCommand(): Command {
  return new Command('plan')
    .description('Show what "apply" would change, without changing anything.')
    .argument('<file>', 'provision file; - reads standard input')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .option('--exit-code', 'exit with 2 when something would change')
    .addHelpText(
      'after',
      `
Exit codes: 0 the file is valid (without --exit-code) or nothing would change (with it),
            1 the file is invalid or cannot be read, 2 something would change (only with --exit-code).

Examples:
  $ switchyard plan shop.yaml
  $ switchyard plan shop.yaml --exit-code || echo "not applied yet"`,
    )
    .action(async (file: string, options: PlanOptions) => {
      const { planFile } = await import('./provision-actions.ts');
      await planFile(file, options);
    });
}
