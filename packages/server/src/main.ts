import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { createApp } from './app.ts';
import { type Job, startJobs } from './background-jobs.ts';
import type { Config } from './config.ts';
import { configurationStores } from './configuration-stores.ts';
import { runPendingErasures } from './features/erasure/erasure-service.ts';
import { enforceRetention } from './features/properties/retention.ts';
import { SessionIdentities } from './features/sessions/session-identities.ts';
import { type FirstStart, prepareConfiguration } from './first-start.ts';
import { type Configuration, openConfiguration } from './storage/configuration.ts';
import { type DatabaseHandle, openDatabase } from './storage/database.ts';
import { EventLog } from './storage/event-log.ts';
import { readVersion } from './version.ts';
import { welcome } from './welcome.ts';

const ERASURE_POLL_MS = 1000;
const RETENTION_MS = 10 * 60 * 1000;
/** Longer than any request may take; whatever hangs then does not keep us. */
const STOP_WITHIN_MS = 30_000;

/** config → storage → app → listen → drain. Resolves once requests are accepted. */
export async function runServer(config: Config): Promise<void> {
  const log = pino({ level: config.logLevel, base: null }, pino.destination({ dest: 2, sync: true }));
  for (const warning of config.warnings) log.warn(warning);

  const handle = await openDatabase(config.dataDir);
  // Opens on its own thread while this one prepares the configuration.
  const opening = openEventLog(config, log);
  const firstStart = await prepareConfiguration(config, handle);
  const configuration = await openConfiguration(handle, configurationStores, {
    onError: (err) =>
      log.error({ err }, 'the configuration could not be read again; the last good one stays in use'),
  });
  const events = await opening;
  const identities = new SessionIdentities(events.questions);
  const version = readVersion();
  const databaseAnswers = () => handle.database.selectFrom('properties').select('id').limit(1).execute();
  const app = await createApp({ config, version, log, configuration, events, identities, databaseAnswers });
  await app.listen({ host: config.host, port: config.port });
  const stopJobs = startJobs(backgroundJobs(handle, configuration, events, identities), log);

  stopOnSignals(log, async () => {
    await app.close();
    await stopJobs();
    await events.close();
    await configuration.close();
    await handle.close();
  });
  announce(app, config, firstStart);
}

function openEventLog(config: Config, log: Logger): Promise<EventLog> {
  const opening = EventLog.open({
    dataDir: config.dataDir,
    maxBytes: config.journalMaxBytes,
    log: (level, message) => log[level](message),
    onFailure: (err) => giveUp(log, err),
  });
  // Whoever waits for it learns of a failure; until then it is not unhandled.
  opening.catch(() => undefined);
  return opening;
}

function backgroundJobs(
  handle: DatabaseHandle,
  configuration: Configuration,
  { questions }: EventLog,
  identities: SessionIdentities,
): Job[] {
  return [
    {
      name: 'erasing what was asked to be forgotten',
      everyMs: ERASURE_POLL_MS,
      run: () => runPendingErasures(handle, questions, () => identities.clear()),
    },
    {
      name: 'deleting what is older than its property keeps',
      everyMs: RETENTION_MS,
      run: () => enforceRetention(configuration.properties(), questions, Date.now()),
    },
  ];
}

function announce(app: FastifyInstance, config: Config, firstStart: FirstStart): void {
  const { address, family, port } = app.server.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${address}]` : address;
  const listening = `http://${host}:${port}`;
  console.log(`Switchyard listens on ${listening}`);
  const text = welcome(firstStart, config.publicUrl ?? listening);
  if (text !== '') console.log(text);
}

/** Nothing can be made durable any more: stop at once, so that a supervisor starts us anew. */
function giveUp(log: Logger, err: Error): void {
  log.fatal({ err }, 'the journal cannot be written; stopping');
  process.exitCode = 1;
  // Long enough for the answers that say so to leave.
  setTimeout(() => process.exit(1), 250);
}

function stopOnSignals(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info(`${signal}: finishing what was accepted`);
    setTimeout(() => {
      log.error('stopping took too long');
      process.exit(1);
    }, STOP_WITHIN_MS).unref();
    stop().then(
      () => process.exit(),
      (err) => {
        log.error({ err }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
