import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { requestSuppressedErasures } from '../features/erasure/reapply-suppressions.ts';
import { exportSuppressions } from '../features/erasure/suppression-file.ts';
import { liftSuppression, mergeSuppressions, namedBy } from '../features/erasure/suppression-store.ts';
import { clickhouseClusterOption, clickhouseOption, dataDirOption } from './options/command-options.ts';
import { type ClickHouseOptions, givenClickHouse } from './options/given-clickhouse.ts';
import { type SubjectOptions, subjectOf } from './options/subject-options.ts';
import { CliError } from './output/cli-error.ts';
import { readSuppressionFile } from './stored-data/read-suppression-file.ts';
import {
  databaseUrl,
  openConfigured,
  waitForServerReload,
  withDatabase,
  withExistingDatabase,
} from './stored-data/with-database.ts';

export function suppressionsCommand(command: Command): void {
  command.addCommand(exportCommand()).addCommand(importCommand()).addCommand(liftCommand());
}

function exportCommand(): Command {
  return new Command('export')
    .description('Write the list to a file, for a restore from an older backup.')
    .option('--out <file>', 'file to write; default: standard output')
    .addOption(dataDirOption())
    .addHelpText(
      'after',
      `
The file has salted hashes, and no ids. Keep it like a backup: with the salt, ids can be tried out.

Example:
  $ switchyard suppressions export --out suppressions.json`,
    )
    .action(writeSuppressions);
}

function importCommand(): Command {
  return new Command('import')
    .description('Add a list to that of nodes, and erase again who is on it.')
    .argument('<file>', 'file of "suppressions export"')
    .addOption(clickhouseOption())
    .addOption(clickhouseClusterOption())
    .addHelpText(
      'after',
      `
For a restore of PostgreSQL and ClickHouse from backups that have people who were erased since. Reads all events, because
the list does not say whom it names. Set DATABASE_URL as for the nodes; one of them carries the erasures out. For one
server with its own files, use "switchyard restore --suppressions".

Example:
  $ switchyard suppressions import suppressions.json`,
    )
    .action(importSuppressions);
}

function liftCommand(): Command {
  return new Command('lift')
    .description('Store events of a visitor, a user or a session again.')
    .requiredOption('--property <id>', 'property they belong to')
    .option('--visitor <id>', 'lift the suppression of this visitor')
    .option('--user <id>', 'lift the suppression of this user')
    .option('--session <id>', 'lift the suppression of this session')
    .addOption(dataDirOption())
    .addHelpText(
      'after',
      `
What was erased does not come back. Works with and without a running server.

Exit codes: 0 lifted, 1 failed, or it was not suppressed.

Example:
  $ switchyard suppressions lift --property shop --visitor 7b1f2c`,
    )
    .action(lift);
}

interface ExportSuppressionsOptions {
  dataDir: string;
  out?: string;
}

async function writeSuppressions({ dataDir, out }: ExportSuppressionsOptions): Promise<void> {
  const file = await withExistingDatabase(dataDir, ({ database }) => exportSuppressions(database));
  const text = `${JSON.stringify(file, undefined, 2)}\n`;
  if (out === undefined) process.stdout.write(text);
  else writeFileSync(out, text, { mode: 0o600 });
}

/** Adds a list to that of the nodes, and requests the erasure of everything that ClickHouse has of it. */
async function importSuppressions(
  file: string,
  { clickhouse, clickhouseCluster }: ClickHouseOptions,
): Promise<void> {
  if (databaseUrl() === undefined || !clickhouse) {
    throw new CliError(
      'Set DATABASE_URL and CLICKHOUSE_URL as for the nodes. For one server with its own files, use ' +
        '"switchyard restore --suppressions".',
    );
  }
  const { salt, entries } = readSuppressionFile(file);
  const server = givenClickHouse(clickhouse, clickhouseCluster);
  // Imported only if needed: the client takes time and memory.
  const { openClickHouseEventStore } = await import('../events/clickhouse/clickhouse-event-store.ts');
  const { added, erasures } = await withDatabase(openConfigured(''), async ({ database }) => {
    if (salt === null) return { added: 0, erasures: [] };
    // First, so that nothing more is stored about anybody on the list.
    const added = await mergeSuppressions(database, salt, entries);
    const store = openClickHouseEventStore(server);
    try {
      return { added, erasures: await requestSuppressedErasures(database, store) };
    } finally {
      await store.close();
    }
  });
  console.log(`New entries: ${added}. Requested erasures, which a node carries out: ${erasures.length}.`);
}

interface LiftOptions extends SubjectOptions {
  dataDir: string;
}

async function lift(options: LiftOptions): Promise<void> {
  const suppressed = namedBy(subjectOf(options));
  const isLifted = await withExistingDatabase(options.dataDir, ({ database }) =>
    liftSuppression(database, suppressed),
  );
  const { kind, id } = suppressed;
  if (!isLifted) throw new CliError(`The ${kind} "${id}" is not suppressed in "${options.property}".`);
  await waitForServerReload();
  console.log(`Events of the ${kind} "${id}" are stored again.`);
}
