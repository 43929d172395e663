import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { DatabaseHandle } from '../configuration/database/database.ts';
import { type ErasureRequest, findErasure, requestErasure } from '../features/erasure/erasure-store.ts';
import { dataDirOption, jsonOption } from './options/command-options.ts';
import { type SubjectOptions, subjectOf } from './options/subject-options.ts';
import { CliError } from './output/cli-error.ts';
import { eraseOffline } from './stored-data/erase-offline.ts';
import { databaseUrl, requireProperty, withExistingDatabase } from './stored-data/with-database.ts';

export function forgetCommand(command: Command): void {
  command
    .requiredOption('--property <id>', 'property they belong to')
    .option('--visitor <id>', 'forget this visitor and all their sessions')
    .option('--user <id>', 'forget this user, and the visitors who were this user and no other')
    .option('--session <id>', 'forget this session')
    .option('--feedback <id>', 'forget this feedback entry')
    .option('--metadata <key=value>', 'forget goals and feedback with this pair of metadata')
    .option('--timeout <seconds>', 'how long to wait for a running server', '300')
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Pass exactly one of --visitor, --user, --session, --feedback and --metadata. Nothing more is stored about who was
erased, until "switchyard suppressions lift". Works with and without a running server.

Exit codes: 0 erased, 1 failed or not finished in time (the request is kept; the server will carry it out).

Example:
  $ switchyard forget --property shop --visitor 7b1f2c`,
    )
    .action(async (options: ForgetOptions) => {
      // As in the server: files written here are readable by their owner only.
      process.umask(0o077);
      await forget(options, eraseOffline);
    });
}

/** Erases in this process; returns false if a running server holds the data directory and will do it instead. */
type RunErasuresOffline = (dataDir: string, handle: DatabaseHandle) => Promise<boolean>;

interface ForgetOptions extends SubjectOptions {
  dataDir: string;
  json?: boolean;
  timeout: string;
}

const POLL_MS = 100;

export async function forget(options: ForgetOptions, runErasuresOffline: RunErasuresOffline): Promise<void> {
  const subject = subjectOf(options);
  const timeoutMs = Number(options.timeout) * 1000;
  if (!(timeoutMs > 0)) throw new CliError('--timeout must be a number of seconds.');
  const { rows, error } = await withExistingDatabase(options.dataDir, async (handle) => {
    await requireProperty(handle, options.property);
    const id = await requestErasure(handle.database, subject);
    const deadline = performance.now() + timeoutMs;
    // The events of several nodes are not in a data directory: a running node carries it out.
    if (databaseUrl() === undefined) await runErasuresOffline(options.dataDir, handle);
    return waitForOutcome(handle, id, deadline);
  });
  if (error !== null) {
    throw new CliError(`The erasure failed: ${error}. The request is kept; a running server will retry it.`);
  }
  if (options.json) console.log(JSON.stringify({ rows }));
  else
    console.log(
      rows === 0 ? 'Nothing was stored about them.' : `Erased ${rows} ${rows === 1 ? 'row' : 'rows'}.`,
    );
}

/** Waits until the request was carried out or an attempt failed. */
async function waitForOutcome(handle: DatabaseHandle, id: string, deadline: number): Promise<ErasureRequest> {
  for (;;) {
    const erasure = await findErasure(handle.database, id);
    if (erasure === undefined)
      throw new CliError('The request has disappeared: was the data directory replaced?');
    if (erasure.finishedAt !== null || erasure.error !== null) return erasure;
    if (performance.now() > deadline) {
      throw new CliError(
        'The server has not finished in time. It will carry out the request later; see its log.',
      );
    }
    await sleep(POLL_MS);
  }
}
