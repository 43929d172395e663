import { Command } from 'commander';
import { dataDirOption, jsonOption } from './command-options.ts';
import type { RestoreOptions } from './restore-action.ts';

export function restoreCommand(): Command {
  return new Command('restore')
    .description('Put a backup into an empty data directory.')
    .argument('<directory>', 'the backup')
    .option(
      '--suppressions <path>',
      'a file of "suppressions export", or the data directory that is replaced: erase its people again',
    )
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Verifies the backup first. People who were erased after the backup was made are in it: with --suppressions they are
erased again, and stay suppressed. Refuses if the data directory has data or is in use. Run it as the user of the server.

Exit codes: 0 restored, 1 failed (the data directory has no data, as before).

Example:
  $ switchyard restore /backups/2026-01-31 --data-dir /var/lib/switchyard`,
    )
    .action(async (directory: string, options: RestoreOptions) => {
      const { restore } = await import('./restore-action.ts');
      const { eraseOffline } = await import('./erase-offline.ts');
      await restore(directory, options, eraseOffline);
    });
}
