import { Command, Option } from 'commander';
import type { Database } from '../configuration/database/database.ts';
import type { ApiKey, KeyKind } from '../configuration/property/property-configuration.ts';
import { lastUsedOf } from '../features/keys/credential-usage-store.ts';
import { newKey } from '../features/keys/key-rules.ts';
import { configurationModel } from '../start/definitions.ts';
import { dataDirOption, jsonOption } from './options/command-options.ts';
import { CliError } from './output/cli-error.ts';
import { table } from './output/table.ts';
import { operatorWriter } from './stored-data/operator-writer.ts';
import { requireProperty, waitForServerReload, withExistingDatabase } from './stored-data/with-database.ts';

export function keysCommand(command: Command): void {
  command.addCommand(createCommand()).addCommand(listCommand()).addCommand(deleteCommand());
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
    .action(createKeyFor);
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
    .action(listAllKeys);
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
    .action(deleteKeyById);
}

interface KeyOptions {
  dataDir: string;
  json?: boolean;
}

interface ListKeysOptions extends KeyOptions {
  property?: string;
}

interface CreateKeyOptions extends KeyOptions {
  property: string;
  kind: KeyKind;
  name: string;
}

async function createKeyFor({ dataDir, json, property, kind, name }: CreateKeyOptions): Promise<void> {
  if (!/^[^\p{Cc}\p{Cs}]{1,256}$/u.test(name)) {
    throw new CliError('The name must be one line of at most 256 characters.');
  }
  const text = await withExistingDatabase(dataDir, async (handle) => {
    await requireProperty(handle, property);
    const { writer, by } = operatorWriter(handle.database);
    let created = '';
    await writer.changeProperty(property, by, ({ current, now }) => {
      if (current?.apiKeys.some((key) => key.kind === kind && key.name === name)) {
        throw new CliError(
          `"${property}" already has a ${kind} key named "${name}". Choose another name, or delete that key first.`,
        );
      }
      const { key, text: generated } = newKey({ propertyId: property, kind, name, now });
      created = generated;
      return current && { ...current, apiKeys: [...current.apiKeys, key] };
    });
    return created;
  });
  await waitForServerReload();
  if (json) console.log(JSON.stringify({ propertyId: property, kind, name, key: text }, undefined, 2));
  else console.log(text);
  if (kind === 'secret')
    console.error('This key is shown only once. Store it where only your server can read it.');
}

async function listAllKeys({ dataDir, json, property }: ListKeysOptions): Promise<void> {
  const keys = await withExistingDatabase(dataDir, async (handle) => {
    if (property !== undefined) await requireProperty(handle, property);
    const listed = await allKeys(handle.database, property);
    const lastUsed = await lastUsedOf(
      handle.database,
      listed.map(({ id }) => id),
    );
    return listed.map((key) => ({ ...key, lastUsedAt: lastUsed.get(key.id) ?? null }));
  });
  if (json) {
    const shown = keys.map(({ hash: _hash, publicKey, ...key }) => ({ ...key, key: publicKey }));
    console.log(JSON.stringify({ keys: shown }, undefined, 2));
  } else if (keys.length === 0) {
    console.log('There are no keys yet. Create one with "switchyard keys create".');
  } else {
    console.log(
      table([['ID', 'PROPERTY', 'KIND', 'NAME', 'CREATED', 'LAST USED', 'KEY'], ...keys.map(toRow)]),
    );
  }
}

type ListedKey = ApiKey & { lastUsedAt: number | null };

function toRow({ id, propertyId, kind, name, createdAt, lastUsedAt, ...key }: ListedKey): string[] {
  const { publicKey, prefix, lastFour } = key;
  const lastUsed = lastUsedAt === null ? 'never' : dayOf(lastUsedAt);
  return [id, propertyId, kind, name, dayOf(createdAt), lastUsed, publicKey ?? `${prefix}…${lastFour}`];
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

async function deleteKeyById(id: string, { dataDir }: KeyOptions): Promise<void> {
  const deleted = await withExistingDatabase(dataDir, async ({ database }) => {
    const found = (await allKeys(database)).find((key) => key.id === id);
    if (found === undefined) return false;
    const { writer, by } = operatorWriter(database);
    await writer.changeProperty(
      found.propertyId,
      by,
      ({ current }) => current && { ...current, apiKeys: current.apiKeys.filter((key) => key.id !== id) },
    );
    return true;
  });
  if (!deleted) throw new CliError(`There is no key "${id}". "switchyard keys list" shows the ids.`);
  await waitForServerReload();
  console.log(`Deleted ${id}.`);
}

async function allKeys(database: Database, propertyId?: string): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  for (const { id } of await configurationModel.property.rows.list(database, propertyId)) {
    keys.push(...(await configurationModel.collection('key').rows.list(database, id)));
  }
  return keys;
}
