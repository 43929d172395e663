import type { Command } from 'commander';
import { loadConfig } from '../platform/settings/config.ts';
import { startEarly } from '../platform/threads/start-thread.ts';
import { dataDirOption } from './options/command-options.ts';
import { settingsHelp } from './output/settings-help.ts';

interface ServeOptions {
  dataDir: string;
  host?: string;
  port?: string;
  provisionFile?: string;
  acceptLoss?: boolean;
}

export function serveCommand(command: Command): void {
  command
    .addOption(dataDirOption())
    .option('--host <address>', 'address to listen on (HOST, 127.0.0.1)')
    .option('--port <number>', 'port to listen on (PORT, 8080)')
    .option('--provision-file <file>', 'apply this file before serving (PROVISION_FILE)')
    .option('--accept-loss', 'start even though the event store has lost events')
    .addHelpText(
      'after',
      () => `
Settings, as environment variables:
${settingsHelp()}

On SIGTERM or SIGINT it stores everything it has accepted and stops.

Exit codes: 0 stopped on request, 1 could not start or stopped because of an error.

Examples:
  $ switchyard serve
  $ switchyard serve --data-dir /var/lib/switchyard --port 9000
  $ PROVISION_FILE=shop.yaml switchyard serve`,
    )
    .action(serve);
}

async function serve({ dataDir, host, port, provisionFile, ...options }: ServeOptions): Promise<void> {
  const given = { DATA_DIR: dataDir, HOST: host, PORT: port, PROVISION_FILE: provisionFile };
  const settings = Object.entries(given).filter(([, value]) => value !== undefined);
  const config = loadConfig(Object.fromEntries(settings));
  // Each of several processes may need other threads.
  if (config.workers === 1) {
    const { prepareDataDirectory } = await import('../start/prepare-data-directory.ts');
    // First: an exit while threads load native code would abort the process.
    prepareDataDirectory(config);
    startEarly('storage-thread');
    startEarly('sqlite-thread');
  }
  // Only now: the threads load their code meanwhile, and --help needs no server and no databases.
  const { runServer } = await import('../start/main.ts');
  await runServer(config, options);
}
