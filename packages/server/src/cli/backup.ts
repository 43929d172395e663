import { Command } from 'commander';
import type { BackupOptions } from './backup-action.ts';
import { dataDirOption, jsonOption } from './command-options.ts';

export function backupCommand(): Command {
  return new Command('backup')
    .description('Copy all data into an empty directory and verify the copy. The server can keep running.')
    .argument('<directory>', 'where to put the backup; created if needed')
    .option('--verify', 'verify an existing backup instead of making one')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The backup contains every request that was acknowledged before the command started. It contains secrets, such as the
hashes of passwords: only its owner can read it. Run it as the user of the server.

Exit codes: 0 made and verified, 1 failed (nothing is left behind) or damaged.

Examples:
  $ switchyard backup /backups/$(date +%F)
  $ switchyard backup --verify /backups/2026-01-31`,
    )
    .action(async (directory: string, options: BackupOptions) => {
      const { backup } = await import('./backup-action.ts');
      await backup(directory, options);
    });
}
