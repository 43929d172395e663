import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { type Job, startJobs } from './background-jobs.ts';
import type { Config } from './config.ts';
import { configurationStores } from './configuration-stores.ts';
import { runPendingErasures } from './features/erasure/erasure-service.ts';
import { Retention } from './features/properties/retention.ts';
import { SessionIdentities } from './features/sessions/session-identities.ts';
import { runSchedule } from './features/split-testing/schedule.ts';
import { type FirstStart, openExpectedDatabase, prepareConfiguration } from './first-start.ts';
import { type Configuration, openConfiguration } from './storage/configuration.ts';
import { makeDataDirectory } from './storage/data-directory.ts';
import type { DatabaseHandle } from './storage/database.ts';
import { EventLog } from './storage/event-log.ts';
import { ThreadedSqlite } from './storage/sqlite/threaded-sqlite.ts';
import type { StorageOptions } from './storage/storage-messages.ts';
import { readVersion } from './version.ts';
import { firstSteps, newKeys } from './welcome.ts';

const ERASURE_POLL_MS = 1000;
const SCHEDULE_POLL_MS = 250;
const RETENTION_POLL_MS = 1000;
/** Longer than any request may take; whatever hangs then does not keep us. */
const STOP_WITHIN_MS = 30_000;
const ANSWERS_LEAVE_MS = 250;
const THREAD_ENDS_MS = 5000;

type Options = Pick<StorageOptions, 'acceptLoss'>;

type Stop = () => Promise<void>;

/** config → storage → app → listen → drain. Resolves once requests are accepted. */
export async function runServer(config: Config, options: Options = {}): Promise<void> {
  const log = pino({ level: config.logLevel, base: null }, pino.destination({ dest: 2, sync: true }));
  for (const warning of config.warnings) log.warn(warning);
  const starting = start(config, log, options);
  stopOnSignals(log, starting);
  await starting;
}

async function start(config: Config, log: Logger, options: Options): Promise<Stop> {
  // The engines would make their files readable for everybody, and not every directory keeps others out.
  process.umask(0o077);
  makeDataDirectory(config.dataDir);
  // The threads start and open their files while this one loads its code.
  const loading = import('./app.ts');
  const sqlite = new ThreadedSqlite((err) => {
    void giveUp(log, err, 'the configuration database cannot be used any more; stopping', events.close());
  });
  // First, because it holds the lock of the directory: whoever does not get it must change nothing.
  const events = await EventLog.open({
    ...options,
    dataDir: config.dataDir,
    maxBytes: config.journalMaxBytes,
    log: (level, message) => log[level](message),
    onFailure: (err) => {
      void giveUp(log, err, 'the journal or the event store cannot be written; stopping', events.ended);
    },
  });
  const handle = await openExpectedDatabase(config, events.status.position > 0, (path) => sqlite.open(path));
  const firstStart = await prepareConfiguration(config, handle);
  try {
    const { app, stop } = await serve(config, log, handle, events, await loading);
    announce(app, config, firstStart);
    return stop;
  } catch (error) {
    // They are stored, and could never be shown again.
    if (firstStart.generatedKeys.length > 0) console.log(newKeys(firstStart));
    throw error;
  }
}

async function serve(
  config: Config,
  log: Logger,
  handle: DatabaseHandle,
  events: EventLog,
  { createApp }: typeof import('./app.ts'),
): Promise<{ app: FastifyInstance; stop: Stop }> {
  const configuration = await openConfiguration(handle, configurationStores, {
    onError: (err) =>
      log.error({ err }, 'the configuration could not be read again; the last good one stays in use'),
  });
  const identities = new SessionIdentities(events.eventStore);
  const version = readVersion();
  const pingDatabase = () => handle.database.selectFrom('properties').select('id').limit(1).execute();
  const app = await createApp({ config, version, log, configuration, events, identities, pingDatabase });
  await listen(app, config);
  events.startVerification();
  const stopJobs = startJobs(backgroundJobs(log, handle, configuration, events, identities), log);
  const stop = async () => {
    await app.close();
    await stopJobs();
    await events.close();
    await configuration.close();
    await handle.close();
  };
  return { app, stop };
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw new Error(`Cannot listen on HOST ${host}, PORT ${port}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function backgroundJobs(
  log: Logger,
  handle: DatabaseHandle,
  configuration: Configuration,
  { eventStore }: EventLog,
  identities: SessionIdentities,
): Job[] {
  const retention = new Retention(eventStore);
  return [
    {
      name: 'erasing what was asked to be forgotten',
      everyMs: ERASURE_POLL_MS,
      run: () => runPendingErasures(handle, eventStore, () => identities.clear()),
    },
    {
      name: 'starting and stopping split tests on time',
      everyMs: SCHEDULE_POLL_MS,
      run: () => followSchedule(log, handle, configuration),
    },
    {
      name: 'deleting what is older than its property keeps',
      everyMs: RETENTION_POLL_MS,
      run: () => retention.enforce(configuration.properties(), Date.now()),
    },
  ];
}

async function followSchedule(
  log: Logger,
  { database }: DatabaseHandle,
  configuration: Configuration,
): Promise<void> {
  const changes = await runSchedule(database, configuration.properties(), Date.now());
  for (const change of changes) log.info(change, 'a split test follows its schedule');
  if (changes.length > 0) await configuration.reload();
}

function announce(app: FastifyInstance, config: Config, firstStart: FirstStart): void {
  const { address, family, port } = app.server.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${address}]` : address;
  const listening = `http://${host}:${port}`;
  console.log(`Switchyard listens on ${listening}`);
  if (firstStart.generatedKeys.length > 0) console.log(`\n${newKeys(firstStart)}`);
  if (firstStart.demo) console.log(firstSteps(firstStart, config.publicUrl ?? listening));
}

/** A thread that is lost does not come back: stop, so that a supervisor starts us anew. */
async function giveUp(log: Logger, err: Error, message: string, threadEnded: Promise<void>): Promise<void> {
  log.fatal({ err }, message);
  process.exitCode = 1;
  // Long enough for the answers that say so to leave; and to exit under a thread's native work would abort.
  await Promise.all([sleep(ANSWERS_LEAVE_MS), Promise.race([threadEnded, sleep(THREAD_ENDS_MS)])]);
  process.exit(1);
}

/** From the first moment; a start is let finish first, because to exit under a thread's native work would abort. */
function stopOnSignals(log: Logger, starting: Promise<Stop>): void {
  let stopping = false;
  const onSignal = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info(`${signal}: finishing what was accepted`);
    setTimeout(() => {
      log.error('stopping took too long');
      process.exit(1);
    }, STOP_WITHIN_MS).unref();
    starting
      .then((stop) => stop())
      .then(
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
