import { Command, Option } from 'commander';
import { dataDirOption, jsonOption } from './command-options.ts';
import type { CreateKeyOptions, KeyOptions, ListKeysOptions } from './key-actions.ts';

export function keysCommand(): Command {
  return new Command('keys')
    .description('Create, list and delete API keys.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(deleteCommand());
}

function createCommand(): Command {
  return new Command('create')
    .description('Create a key and print it. A secret key cannot be shown again.')
    .requiredOption('--property <id>', 'property that the key belongs to')
    .addOption(
      new Option('--kind <kind>', 'public for browsers, secret for servers')
        .choices(['public', 'secret'])
        .makeOptionMandatory(),
    )
    .requiredOption('--name <name>', 'what the key is for; unique per kind')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Only the key is printed to standard output. It works at once, on a running server too.

Exit codes: 0 created, 1 failed.

Example:
  $ switchyard keys create --property shop --kind secret --name backend`,
    )
    .action(async (options: CreateKeyOptions) => {
      const { createKeyFor } = await import('./key-actions.ts');
      await createKeyFor(options);
    });
}

function listCommand(): Command {
  return new Command('list')
    .description('List the keys. Of secret keys only the first and last characters are shown.')
    .option('--property <id>', 'only keys of this property')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExit codes: 0 listed, 1 failed.\n\nExample:\n  $ switchyard keys list --property shop',
    )
    .action(async (options: ListKeysOptions) => {
      const { listAllKeys } = await import('./key-actions.ts');
      await listAllKeys(options);
    });
}

function deleteCommand(): Command {
  return new Command('delete')
    .description('Delete a key. It stops working at once, on a running server too.')
    .argument('<id>', 'id of the key, as shown by "keys list"')
    .addOption(dataDirOption())
    .addHelpText(
      'after',
      '\nExit codes: 0 deleted, 1 failed.\n\nExample:\n  $ switchyard keys delete key_0f3a…',
    )
    .action(async (id: string, options: KeyOptions) => {
      const { deleteKeyById } = await import('./key-actions.ts');
      await deleteKeyById(id, options);
    });
}
