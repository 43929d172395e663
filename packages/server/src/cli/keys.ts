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
    .description('Make a new key and print it; a secret key cannot be shown again.')
    .requiredOption('--property <id>', 'property the key is for')
    .addOption(
      new Option('--kind <kind>', 'public for browsers, secret for servers')
        .choices(['public', 'secret'])
        .makeOptionMandatory(),
    )
    .requiredOption('--name <name>', 'what the key is for; one name per kind')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The key alone is printed to standard output. It works at once, also on a running server.

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
    .description('List the keys; of secret keys only the beginning and the end.')
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
    .description('Delete a key; it stops working at once, also on a running server.')
    .argument('<id>', 'id of the key, as "keys list" shows it')
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
