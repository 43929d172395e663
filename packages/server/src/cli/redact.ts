import { Command } from 'commander';
import { dataDirOption, jsonOption } from './command-options.ts';
import type { RedactOptions } from './redact-action.ts';

export function redactCommand(): Command {
  return new Command('redact')
    .description('Remove text, such as an e-mail address, from the history of a property, for good.')
    .requiredOption('--property <id>', 'property, which may have been deleted')
    .option('--text <text>', 'redact this text wherever it is, whatever its case')
    .option('--emails', 'redact all e-mail addresses that the configuration does not have any more')
    .option('--dry-run', 'only list the entries')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Pass exactly one of --text and --emails. The chain of hashes remains valid, and "switchyard doctor" counts redacted
entries. Text of the present configuration cannot be redacted: remove it there first. Works with and without a running
server. Backups keep the text until they are deleted.

Exit codes: 0 redacted, 1 failed.

Example:
  $ switchyard redact --property shop --text ada@shop.example --dry-run`,
    )
    .action(async (options: RedactOptions) => {
      const { redact } = await import('./redact-action.ts');
      await redact(options);
    });
}
