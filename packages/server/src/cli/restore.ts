import { Command } from 'commander';
import { dataDirOption, jsonOption } from './command-options.ts';
import type { RestoreOptions } from './restore-action.ts';

export function restoreCommand(): Command {
  return new Command('restore')
    .description('Put a backup into an empty data directory.')
    .argument('<directory>', 'the backup')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Verifies the backup first. Refuses if the data directory has data or is in use. Run it as the user of the server.

Exit codes: 0 restored, 1 failed (the data directory has no data, as before).

Example:
  $ switchyard restore /backups/2026-01-31 --data-dir /var/lib/switchyard`,
    )
    .action(async (directory: string, options: RestoreOptions) => {
      const { restore } = await import('./restore-action.ts');
      await restore(directory, options);
    });
}
