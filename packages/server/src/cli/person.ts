import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { PersonQuery } from '@switchyard/core/api/people';
import { Command } from 'commander';
import type { DatabaseHandle } from '../configuration/database/database.ts';
import { loadProperty } from '../configuration/snapshot/configuration.ts';
import { openUnlessLocked } from '../features/erasure/offline-erasure.ts';
import { currentFlags } from '../features/explanations/explanation-service.ts';
import { statesOf } from '../features/feedback/feedback-state-store.ts';
import { evaluatedFlags } from '../features/reports/evaluated-flags.ts';
import { personExport } from '../features/sessions/person-export.ts';
import { compileRuleRegex } from '../platform/rule-regex.ts';
import { loadAccessToken } from '../platform/settings/config.ts';
import { configurationModel } from '../start/definitions.ts';
import { dataDirOption } from './options/command-options.ts';
import { personOf, type SubjectOptions } from './options/subject-options.ts';
import { CliError } from './output/cli-error.ts';
import { databaseUrl, requireProperty, withExistingDatabase } from './stored-data/with-database.ts';

export function personCommand(command: Command): void {
  command.addCommand(exportCommand());
}

function exportCommand(): Command {
  return new Command('export')
    .description('Write everything about a visitor, a user or a session to one JSON file.')
    .requiredOption('--property <id>', 'property they belong to')
    .option('--visitor <id>', 'this visitor')
    .option('--user <id>', 'this user, and the visitors who were this user and no other')
    .option('--session <id>', 'this session')
    .option('--out <file>', 'file to write; default: standard output')
    .option(
      '--url <url>',
      'address of the running server; it needs SWITCHYARD_TOKEN, an access token of an admin',
    )
    .addOption(dataDirOption())
    .addHelpText(
      'after',
      `
Pass exactly one of --visitor, --user and --session. Without --url, the server must be stopped.

Exit codes: 0 written, 1 failed.

Example:
  $ switchyard person export --property shop --user u-42 --out person.json`,
    )
    .action(exportPerson);
}

interface PersonOptions extends SubjectOptions {
  dataDir: string;
  out?: string;
  url?: string;
}

async function exportPerson(options: PersonOptions): Promise<void> {
  const { propertyId, person } = personOf(options);
  if (options.url !== undefined) return write(options.out, downloaded(options.url, propertyId, person));
  if (databaseUrl() !== undefined) throw new CliError(`The events are in ClickHouse. ${ASK_SERVER}`);
  await withExistingDatabase(options.dataDir, async (handle) => {
    await requireProperty(handle, propertyId);
    const events = await openUnlessLocked(options.dataDir);
    if (events === undefined) throw new CliError(`A server is using ${options.dataDir}. ${ASK_SERVER}`);
    try {
      const sources = {
        eventStore: events.eventStore,
        statesOf: (ids: readonly string[]) => statesOf(handle.database, propertyId, ids),
        ...(await flagSource(handle, propertyId)),
      };
      await write(options.out, personExport(sources, propertyId, person));
    } finally {
      await events.close();
    }
  });
}

const ASK_SERVER =
  'Pass its address with --url, and an access token of an admin in the environment variable SWITCHYARD_TOKEN.';

async function flagSource({ database }: DatabaseHandle, propertyId: string) {
  const [stored] = await configurationModel.property.rows.list(database, propertyId);
  const property = await loadProperty(database, configurationModel, stored!);
  const evaluations = {
    evaluateAll: async (input: Parameters<typeof evaluatedFlags>[0]) =>
      evaluatedFlags(input, compileRuleRegex),
  };
  return {
    flagsOf: (session: Parameters<typeof currentFlags>[1]) => currentFlags(property, session, evaluations),
  };
}

async function* downloaded(
  url: string,
  propertyId: string,
  person: PersonQuery,
): AsyncGenerator<Uint8Array | string> {
  const query = new URLSearchParams(person as Record<string, string>);
  const address = new URL(`/v1/manage/properties/${encodeURIComponent(propertyId)}/person?${query}`, url);
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${loadAccessToken()}` },
  });
  if (!response.ok || response.body === null) {
    throw new CliError(`The server refused with status ${response.status}: ${await response.text()}`);
  }
  yield* response.body;
}

/** A file appears when it is complete. */
async function write(out: string | undefined, parts: AsyncIterable<Uint8Array | string>): Promise<void> {
  if (out === undefined) {
    for await (const part of parts) if (!process.stdout.write(part)) await once(process.stdout, 'drain');
    return;
  }
  const temporary = `${out}.part`;
  const file = createWriteStream(temporary, { mode: 0o600 });
  try {
    for await (const part of parts) if (!file.write(part)) await once(file, 'drain');
    file.end();
    await finished(file);
    await rename(temporary, out);
  } catch (error) {
    file.destroy();
    await rm(temporary, { force: true });
    throw error;
  }
}
