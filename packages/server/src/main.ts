import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Job, startJobs } from './background-jobs.ts';
import type { Config } from './config.ts';
import { configurationStores, createConfigurationWriter } from './configuration-stores.ts';
import { DailyAaTest } from './features/aa-test/daily-aa-test.ts';
import { runPendingErasures } from './features/erasure/erasure-service.ts';
import { sweepFeedbackStates } from './features/feedback/feedback-states.ts';
import { runRollouts } from './features/flags/rollout-schedule.ts';
import { Retention } from './features/properties/retention.ts';
import { aaScope } from './features/reports/aa-scope.ts';
import { ReportRunner } from './features/reports/report-runner.ts';
import { SessionIdentities } from './features/sessions/session-identities.ts';
import { runSchedule } from './features/split-testing/schedule.ts';
import { forgettingDeliveries } from './features/webhooks/forget-deliveries.ts';
import { openExpectedDatabase, prepareConfiguration } from './first-start.ts';
import { createLog, type ServerLog } from './log.ts';
import type { ThreadRequest } from './report-thread.ts';
import { listenForBackups } from './storage/backup/backup-socket.ts';
import { assertRestored } from './storage/backup/restore-backup.ts';
import type { ConfigurationWriter } from './storage/changes/configuration-writer.ts';
import { type Configuration, openConfiguration } from './storage/configuration.ts';
import { makeDataDirectory } from './storage/data-directory.ts';
import type { DatabaseHandle } from './storage/database.ts';
import { EventLog } from './storage/event-log.ts';
import { ThreadedSqlite } from './storage/sqlite/threaded-sqlite.ts';
import type { StorageOptions } from './storage/storage-messages.ts';
import { UsageRecording } from './usage-recording.ts';
import { readVersion } from './version.ts';
import { createWebhookJobs } from './webhook-jobs.ts';
import { announce, announceKeys } from './welcome.ts';

const ERASURE_POLL_MS = 1000;
const SCHEDULE_POLL_MS = 250;
const RETENTION_POLL_MS = 1000;
const AA_TEST_POLL_MS = 1000;
/** The evaluation of a missed day can wait until the first requests are served. */
const AA_TEST_START_DELAY_MS = 5 * 60 * 1000;
/** Longer than any request may take. */
const SHUTDOWN_TIMEOUT_MS = 30_000;
/** Time to flush the last error responses before a forced exit. */
const FLUSH_RESPONSES_MS = 250;
const THREAD_EXIT_TIMEOUT_MS = 5000;

type Options = Pick<StorageOptions, 'acceptLoss'>;

type Stop = () => Promise<void>;

/** config → storage → app → listen → drain. Resolves once the server accepts requests. */
export async function runServer(config: Config, options: Options = {}): Promise<void> {
  const serverLog = createLog(config);
  const starting = start(config, serverLog, options);
  stopOnSignals(serverLog.log, starting);
  await starting;
}

async function start(config: Config, serverLog: ServerLog, options: Options): Promise<Stop> {
  const { log } = serverLog;
  // By default the engines create files that every user can read, and DATA_DIR may be readable too.
  process.umask(0o077);
  makeDataDirectory(config.dataDir);
  assertRestored(config.dataDir);
  // Load the app while the storage threads start and open their files.
  const appModule = import('./app.ts');
  const sqlite = new ThreadedSqlite((err) => {
    void exitAfterFailure(log, err, 'configuration database thread failed; exiting', events.close());
  });
  // First, because it takes the lock of the data directory: without the lock nothing may be changed.
  const events = await EventLog.open({
    ...options,
    dataDir: config.dataDir,
    maxBytes: config.journalMaxBytes,
    log: (level, message) => log[level](message),
    onFailure: (err) => {
      void exitAfterFailure(
        log,
        err,
        'cannot write to the journal or the event store; exiting',
        Promise.allSettled([events.ended, sqlite.close()]),
      );
    },
  });
  const handle = await openExpectedDatabase(config, events.status.position > 0, (path) => sqlite.open(path));
  const firstStart = await prepareConfiguration(config, handle);
  if (config.firstOwner !== undefined) {
    const { ensureFirstOwner } = await import('./features/accounts/first-owner.ts');
    if (await ensureFirstOwner(handle.database, config.firstOwner)) log.info('created the first owner');
  }
  try {
    const { app, stop } = await serve(config, log, handle, events, await appModule);
    announce(serverLog, { config, firstStart, url: listeningUrl(app), version: readVersion() });
    return stop;
  } catch (error) {
    // Secret keys are stored as hashes: this is the only chance to show them.
    announceKeys(serverLog, firstStart);
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
    onError: (err) => log.error({ err }, 'failed to reload the configuration; keeping the previous one'),
  });
  const writer = createConfigurationWriter(handle.database, configuration);
  const identities = new SessionIdentities(events.eventStore);
  const version = readVersion();
  const pingDatabase = () => handle.database.selectFrom('properties').select('id').limit(1).execute();
  const reports = createReportRunner(log, events);
  // On a thread of its own: if an evaluation takes too long, no requested report is lost.
  const aaReports = createReportRunner(log, events);
  const aaTest = createAaTest(log, handle, configuration, events, aaReports);
  const usage = new UsageRecording(handle.database);
  const { database } = handle;
  const webhookReports = createReportRunner(log, events);
  const webhooks = createWebhookJobs({
    config,
    log,
    database,
    configuration,
    events,
    reports: webhookReports,
  });
  const app = await createApp({
    ...{ config, version, log, configuration, writer, events, identities, reports, pingDatabase, usage },
    wakeWebhooks: webhooks.wake,
    database,
    aaAlarms: () => aaTest.alarms,
  });
  await listen(app, config);
  const stopBackups = await listenForBackups(config.dataDir, events).catch((err) => {
    log.warn({ err }, 'cannot listen on control.sock in DATA_DIR; backups of the running server will fail');
    return () => {};
  });
  events.startVerification();
  const jobs = backgroundJobs(log, handle, configuration, writer, events, identities, aaTest);
  const stopJobs = startJobs([...jobs, ...usage.jobs(), ...webhooks.jobs], log);
  const stop = async () => {
    await stopBackups();
    await aaReports.close();
    await app.close();
    await webhooks.close();
    await stopJobs();
    await usage.close(log);
    await events.close();
    await configuration.close();
    await handle.close();
  };
  return { app, stop };
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  // For `localhost`, Fastify opens a second server for IPv6, to which our connection limits would not apply.
  const address = host === 'localhost' ? '127.0.0.1' : host;
  try {
    await app.listen({ host: address, port });
  } catch (error) {
    throw new Error(`Cannot listen on HOST ${host}, PORT ${port}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function createReportRunner(log: Logger, events: EventLog): ReportRunner<ThreadRequest> {
  return new ReportRunner({
    connect: () => events.openPort(),
    changes: () => events.changes,
    log: (message) => log.warn(message),
  });
}

function createAaTest(
  log: Logger,
  { database }: DatabaseHandle,
  configuration: Configuration,
  events: EventLog,
  reports: ReportRunner,
): DailyAaTest {
  return new DailyAaTest({
    ...{ log, database, eventStore: events.eventStore },
    properties: () => configuration.properties(),
    hasEvents: () => events.status.position > 0,
    evaluate: async (property, until) => {
      const scope = aaScope(property, until);
      const { body } = await reports.run({ type: 'aa-test', scope });
      return JSON.parse(new TextDecoder().decode(body));
    },
    release: () => reports.release(),
    isStopping: () => reports.isClosed,
    startDelayMs: AA_TEST_START_DELAY_MS,
  });
}

function backgroundJobs(
  log: Logger,
  handle: DatabaseHandle,
  configuration: Configuration,
  writer: ConfigurationWriter,
  { eventStore }: EventLog,
  identities: SessionIdentities,
  aaTest: DailyAaTest,
): Job[] {
  const sweep = (propertyIds: readonly string[]) =>
    sweepFeedbackStates({ database: handle.database, eventStore }, propertyIds);
  const retention = new Retention(eventStore, (propertyId) => sweep([propertyId]));
  const forgetting = forgettingDeliveries(handle.database, eventStore);
  return [
    {
      name: 'erasure',
      everyMs: ERASURE_POLL_MS,
      run: () =>
        runPendingErasures(handle, forgetting, (propertyIds) => {
          identities.clear();
          return sweep(propertyIds);
        }),
    },
    {
      name: 'schedule',
      everyMs: SCHEDULE_POLL_MS,
      run: () => applySchedules(log, writer, configuration),
    },
    {
      name: 'retention',
      everyMs: RETENTION_POLL_MS,
      run: () => retention.enforce(configuration.properties(), Date.now()),
    },
    {
      name: 'A/A test',
      everyMs: AA_TEST_POLL_MS,
      run: () => aaTest.run(Date.now()),
    },
  ];
}

async function applySchedules(
  log: Logger,
  writer: ConfigurationWriter,
  configuration: Configuration,
): Promise<void> {
  const tests = await runSchedule(writer, configuration.properties(), Date.now());
  for (const change of tests) log.info(change, 'split test changed by its schedule');
  const rollouts = await runRollouts(writer, configuration.properties(), Date.now());
  for (const change of rollouts) log.info(change, 'rollout changed by its schedule');
}

function listeningUrl(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** A failed storage thread cannot be restarted: exit, so that a supervisor restarts the process. */
async function exitAfterFailure(
  log: Logger,
  err: Error,
  message: string,
  threadsEnded: Promise<unknown>,
): Promise<void> {
  log.fatal({ err }, message);
  process.exitCode = 1;
  // Exiting while a thread runs native code would abort the process, so wait for the threads too.
  await Promise.all([sleep(FLUSH_RESPONSES_MS), Promise.race([threadsEnded, sleep(THREAD_EXIT_TIMEOUT_MS)])]);
  process.exit(1);
}

/** Lets a start finish first: exiting while a thread runs native code would abort the process. */
function stopOnSignals(log: Logger, starting: Promise<Stop>): void {
  let stopping = false;
  const onSignal = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info(`received ${signal}; finishing open requests`);
    setTimeout(() => {
      log.error('shutdown timed out');
      process.exit(1);
    }, SHUTDOWN_TIMEOUT_MS).unref();
    starting
      .then((stop) => stop())
      .then(
        () => process.exit(),
        (err) => {
          log.error({ err }, 'shutdown failed');
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
