import { Command } from 'commander';
import { dataDirOption, jsonOption } from './command-options.ts';
import type { ApplyOptions } from './provision-actions.ts';

export function applyCommand(): Command {
  return new Command('apply')
    .description('Apply a provision file (YAML or JSON). If anything in it is wrong, nothing is changed.')
    .argument('<file>', 'provision file; - reads standard input')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Anything the file does not mention is left unchanged; applying it twice changes nothing.
A running server picks up the change at once. Keys without a "key" in the file are
generated and printed only once.

Exit codes: 0 applied or nothing to do, 1 failed (every error is listed, nothing was changed).

Examples:
  $ switchyard apply shop.yaml
  $ switchyard export --data-dir old | switchyard apply - --data-dir new`,
    )
    .action(async (file: string, options: ApplyOptions) => {
      const { applyFile } = await import('./provision-actions.ts');
      await applyFile(file, options);
    });
}
