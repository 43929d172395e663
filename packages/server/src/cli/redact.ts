import type { Command } from 'commander';
import type { DatabaseHandle } from '../configuration/database/database.ts';
import { lastRow } from '../configuration/history/history-store.ts';
import { type Redacted, redactHistory, TextInUseError } from '../configuration/history/redact-history.ts';
import { redactionResponse } from '../features/management/redaction-routes.ts';
import { configurationModel } from '../start/definitions.ts';
import { dataDirOption, jsonOption } from './options/command-options.ts';
import { CliError } from './output/cli-error.ts';
import { requireProperty, withExistingDatabase } from './stored-data/with-database.ts';

export function redactCommand(command: Command): void {
  command
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
    .action(redact);
}

interface RedactOptions {
  dataDir: string;
  property: string;
  text?: string;
  emails?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

async function redact(options: RedactOptions): Promise<void> {
  const { property, dryRun = false, json } = options;
  const wanted = wantedOf(options);
  const redaction = await withExistingDatabase(options.dataDir, async (handle) => {
    await requireHistory(handle, property);
    const done = await redactHistory(handle.database, property, wanted, {
      dryRun,
      model: configurationModel,
    });
    if (!dryRun) await handle.scrub();
    return done;
  }).catch((error: unknown) => {
    throw error instanceof TextInUseError ? new CliError(error.message) : error;
  });
  const response = redactionResponse(redaction, dryRun);
  if (json) {
    console.log(JSON.stringify(response, undefined, 2));
    return;
  }
  for (const { id, at, entity, action } of response.entries) {
    console.log(`${id}  ${new Date(at).toISOString()}  ${action} ${entity.type} ${entity.key}`);
  }
  const count = `entries: ${response.entries.length}, proposals and messages: ${response.others}`;
  console.log(dryRun ? `Would redact ${count}.` : `Redacted ${count}.`);
  if (response.kept.length > 0) {
    console.log(`Kept, because the configuration has them: ${response.kept.join(', ')}.`);
  }
}

function wantedOf({ text, emails }: RedactOptions): Redacted {
  if ((text === undefined) === (emails === undefined)) {
    throw new CliError('Pass exactly one of --text and --emails.');
  }
  if (text === undefined) return { emails: true };
  if (text.trim().length < 3) throw new CliError('--text must have at least 3 characters.');
  return { text: text.trim() };
}

/** A deleted property still has a history. */
async function requireHistory(handle: DatabaseHandle, propertyId: string): Promise<void> {
  if ((await lastRow(handle.database, propertyId)) === undefined) await requireProperty(handle, propertyId);
}
