import { Command } from 'commander';
import { dataDirOption, jsonOption } from './command-options.ts';
import type { ApplyOptions } from './provision-actions.ts';

export function applyCommand(): Command {
  return new Command('apply')
    .description(
      'Bring the configuration to what a provision file (YAML or JSON) says: all of it or, if anything is wrong, nothing.',
    )
    .argument('<file>', 'provision file; - reads standard input')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
What the file does not name stays as it is; applying it again changes nothing.
A running server sees the change at once. Keys that the file asks for without a text
are generated and printed this once.

Exit codes: 0 applied or nothing to do, 1 failed (every mistake is listed, nothing was changed).

Examples:
  $ switchyard apply shop.yaml
  $ switchyard export --data-dir old | switchyard apply - --data-dir new`,
    )
    .action(async (file: string, options: ApplyOptions) => {
      const { applyFile } = await import('./provision-actions.ts');
      await applyFile(file, options);
    });
}
