import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Difference } from '../cluster/move/compare.ts';
import { configurationTables } from '../cluster/move/configuration-tables.ts';
import type { Servers } from '../cluster/move/move-record.ts';
import { moveToDirectory } from '../cluster/move/move-to-directory.ts';
import { type MoveResult, moveToServers } from '../cluster/move/move-to-servers.ts';
import { SETTINGS } from '../platform/settings/settings.ts';
import { readVersion } from '../platform/version.ts';
import { configurationModel } from '../start/definitions.ts';
import { clickhouseClusterOption, dataDirOption, settingOption } from './options/command-options.ts';
import { givenClickHouse } from './options/given-clickhouse.ts';
import { CliError } from './output/cli-error.ts';
import { MoveProgress } from './output/move-progress.ts';
import { table } from './output/table.ts';

export function moveCommand(command: Command): void {
  command
    .option('--to-database <url>', 'PostgreSQL database to move the configuration to')
    .option('--to-clickhouse <url>', 'ClickHouse database to move the events to')
    .addOption(clickhouseClusterOption())
    .option('--to-directory <directory>', 'empty data directory to move everything to')
    .addOption(
      settingOption('--from-database <url>', 'with --to-directory: PostgreSQL database', 'DATABASE_URL'),
    )
    .addOption(
      settingOption('--from-clickhouse <url>', 'with --to-directory: ClickHouse database', 'CLICKHOUSE_URL'),
    )
    .addOption(dataDirOption())
    .addHelpText(
      'after',
      `
The server, or the nodes, can keep running. Run it twice: the second time after they have stopped, to copy what was added
since and to complete the move. It can be interrupted at any time; the same command continues. Nothing is deleted where
the data comes from. Run it as the user of the server.

Exit codes: 0 both sides are equal, 1 they differ, or it failed.

Examples:
  $ switchyard move --to-database postgres://db.example/switchyard --to-clickhouse http://ch.example:8123/switchyard
  $ switchyard move --to-directory /var/lib/switchyard`,
    )
    .action(move);
}

interface MoveOptions {
  dataDir: string;
  toDatabase?: string;
  toClickhouse?: string;
  clickhouseCluster?: string;
  toDirectory?: string;
  fromDatabase?: string;
  fromClickhouse?: string;
}

const MAX_DIFFERENCES = 20;

async function move(options: MoveOptions): Promise<void> {
  // Files written here are readable by their owner only.
  process.umask(0o077);
  const progress = new MoveProgress(process.stdout);
  const listener = {
    tables: configurationTables(configurationModel),
    onStep: (text: string) => progress.step(text),
    onProgress: progress.update.bind(progress),
  };
  const isBack = options.toDirectory !== undefined;
  const directory = resolve(options.toDirectory ?? options.dataDir);
  const servers = isBack ? originOf(options) : targetOf(options);
  const result = isBack
    ? await moveToDirectory({ directory, servers, ...listener })
    : await moveToServers({ dataDir: directory, servers, version: readVersion(), ...listener });
  progress.end();
  report(result, isBack ? backTexts(directory) : outTexts(directory));
}

function targetOf({ toDatabase, toClickhouse, clickhouseCluster }: MoveOptions): Servers {
  if (toDatabase === undefined || toClickhouse === undefined) {
    throw new CliError('Pass --to-database and --to-clickhouse, or --to-directory.');
  }
  return serversOf(
    { text: toDatabase, name: '--to-database' },
    { text: toClickhouse, name: '--to-clickhouse' },
    clickhouseCluster,
  );
}

function originOf(options: MoveOptions): Servers {
  const { fromDatabase, fromClickhouse, clickhouseCluster } = options;
  if (options.toDatabase !== undefined || options.toClickhouse !== undefined) {
    throw new CliError('Pass either --to-directory, or --to-database and --to-clickhouse.');
  }
  if (fromDatabase === undefined || fromClickhouse === undefined) {
    throw new CliError(
      'Set DATABASE_URL and CLICKHOUSE_URL as for the nodes, or pass --from-database and --from-clickhouse.',
    );
  }
  return serversOf(
    { text: fromDatabase, name: '--from-database' },
    { text: fromClickhouse, name: '--from-clickhouse' },
    clickhouseCluster,
  );
}

interface GivenUrl {
  text: string;
  name: string;
}

function serversOf(database: GivenUrl, clickhouse: GivenUrl, cluster: string | undefined): Servers {
  return {
    databaseUrl: SETTINGS.DATABASE_URL.parse(database.text, database.name),
    clickhouse: givenClickHouse(clickhouse.text, cluster, clickhouse.name),
  };
}

interface Texts {
  /** What to do when both sides are equal, but the origin may get more. */
  again: string;
  complete: string;
}

const outTexts = (dataDir: string): Texts => ({
  again: `Both sides are equal, as of the start of this command. Next:
  1. Stop the server.
  2. Run the same command again: it copies the rest.
  3. Start the nodes with DATABASE_URL and CLICKHOUSE_URL.`,
  complete: `Both sides are equal, and the move is complete. Start the nodes with DATABASE_URL and CLICKHOUSE_URL.
No server without them starts in ${dataDir} any more; the files there are unchanged. Keep them until you have a backup of
the databases.`,
});

const backTexts = (directory: string): Texts => ({
  again: `Both sides are equal, as of the start of this command. Nodes are still connected to PostgreSQL. Next:
  1. Stop all nodes, and load what is left in the journal of a lost one with "switchyard ship".
  2. Run the same command again: it copies the rest.
  3. Start the server with DATA_DIR=${directory}, without DATABASE_URL and CLICKHOUSE_URL.`,
  complete: `Both sides are equal, and the move is complete.
Start the server with DATA_DIR=${directory}, without DATABASE_URL and CLICKHOUSE_URL.`,
});

function report({ copied, differences, isComplete }: MoveResult, texts: Texts): void {
  console.log(`Copied ${copied.toLocaleString('en-US')} requests.`);
  if (differences.length === 0) {
    console.log(isComplete ? texts.complete : texts.again);
  } else {
    process.exitCode = 1;
    console.log(describeDifferences(differences));
  }
}

function describeDifferences(differences: readonly Difference[]): string {
  const shown = differences.slice(0, MAX_DIFFERENCES);
  const more = differences.length - shown.length;
  const rows = shown.map(({ what, from, to }) => [
    what,
    String(from),
    from === to ? `${to}, with other values` : String(to),
  ]);
  return `
The two sides differ:
${table([['', 'ORIGIN', 'TARGET'], ...rows])}${more > 0 ? `\n… and ${more} more` : ''}

If events were erased meanwhile, the target still has them. Empty the target, and run the command again.`;
}
