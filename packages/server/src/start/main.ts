import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RequestServer } from '../cluster/workers/request-server.ts';
import type { DatabaseHandle } from '../configuration/database/database.ts';
import { sqliteHandle } from '../configuration/database/open-database.ts';
import { ThreadedSqlite } from '../configuration/database/sqlite/threaded-sqlite.ts';
import { Configuration } from '../configuration/snapshot/configuration.ts';
import { keepSnapshot } from '../configuration/snapshot/snapshot-writer.ts';
import { type EventStorage, startEventStorage } from '../events/thread/event-storage.ts';
import type { StorageOptions } from '../events/thread/storage-messages.ts';
import { ReportRunner } from '../features/reports/report-runner.ts';
import { SessionIdentities } from '../features/sessions/session-identities.ts';
import { Metrics } from '../http/monitoring/metrics.ts';
import { assertCanListen } from '../http/pipeline/listen.ts';
import { nodeJobs } from '../jobs/job-list.ts';
import { LeaderJobs } from '../jobs/leader-jobs.ts';
import { startJobs } from '../jobs/scheduler.ts';
import { listenForBackups } from '../operations/backup/backup-socket.ts';
import { publishOwnJournal } from '../operations/nodes/node-journals.ts';
import { exitAfterFailure } from '../platform/errors/exit-after-failure.ts';
import { isDatabaseUnavailable } from '../platform/errors/storage-error.ts';
import { createLog, type ServerLog } from '../platform/log/log.ts';
import type { Config } from '../platform/settings/config.ts';
import { openTracer } from '../platform/tracing/open-tracer.ts';
import type { OtlpTracer } from '../platform/tracing/otlp-tracer.ts';
import { readVersion } from '../platform/version.ts';
import { configurationModel, createConfigurationWriter } from './definitions.ts';
import {
  describeBeginning,
  type FirstStart,
  openExpectedDatabase,
  prepareConfiguration,
} from './first-start.ts';
import { LocalRequestServer } from './local-request-server.ts';
import type { OpenedDatabase } from './node-database.ts';
import { prepareDataDirectory } from './prepare-data-directory.ts';
import type { ThreadRequest } from './report-thread.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { announce, announceKeys } from './welcome.ts';

const PREPARE_RETRY_MS = 1000;
const NOTHING_NEW: FirstStart = { demo: false, generatedKeys: [] };

type Options = Pick<StorageOptions, 'acceptLoss'>;

type Stop = () => Promise<void>;

/** config → storage → app → listen → drain. Resolves once the server accepts requests. */
export async function runServer(config: Config, options: Options = {}): Promise<void> {
  if (config.workers > 1 && (await import('node:cluster')).default.isWorker) {
    const { runWorker } = await import('./run-worker.ts');
    return runWorker(config);
  }
  const serverLog = createLog(config);
  const starting = start(config, serverLog, options);
  stopOnSignals(serverLog.log, starting, config.shutdownDelayMs);
  await starting;
}

async function start(config: Config, serverLog: ServerLog, options: Options): Promise<Stop> {
  const { log } = serverLog;
  prepareDataDirectory(config);
  const sqlite = new ThreadedSqlite((err) => {
    void exitAfterFailure(log, err, 'configuration database thread failed; exiting', events.close());
  });
  const tracer = await openTracer(config.tracing, log);
  const events = startEventStorage({
    ...options,
    dataDir: config.dataDir,
    workers: config.workers > 1,
    ...clickhouseOf(config),
    maxBytes: config.journalMaxBytes,
    log: (level, message) => log[level](message),
    tracer,
    onFailure: (err) => {
      void exitAfterFailure(
        log,
        err,
        'cannot write to the journal or the event store; exiting',
        Promise.allSettled([events.ended, sqlite.close()]),
      );
    },
  });
  const base = { config, log, events, tracer, requestServer: await createRequestServer(config, log) };
  // While the storage thread opens its files. PostgreSQL has no handle before it is open.
  const early =
    config.databaseUrl === undefined ? await createService(base, sqliteHandle(sqlite)) : undefined;
  // First, because it takes the lock of the data directory: without the lock nothing may be changed.
  await events.opened;
  const hasEvents = events.status.position > 0;
  const openSqlite = (path: string) => sqlite.open(path, options);
  const opened = await openExpectedDatabase(config, hasEvents, { openSqlite, handle: early?.handle }, log);
  const prepare = async () => {
    const prepared = await prepareConfiguration(config, opened.handle, log);
    if (prepared.firstOwner) log.info('created the first owner');
    return prepared;
  };
  const startsFromSnapshot = opened.initial !== undefined;
  // Before anything is created: a port in use must not leave keys behind that nobody has seen.
  await assertCanListen(config);
  const firstStart = startsFromSnapshot ? NOTHING_NEW : await prepare();
  try {
    const service = early ?? (await createService(base, opened.handle));
    const { url, stop } = await serve(service, opened.initial);
    // A node has only its own journal: others may have stored events.
    const isUnused = !hasEvents && (config.databaseUrl === undefined || firstStart.demo);
    const beginning = isUnused ? await describeBeginning(opened.handle) : undefined;
    announce(serverLog, { config, firstStart, beginning, url, version: readVersion() });
    if (startsFromSnapshot) void prepareWhenBack(serverLog, opened.handle, prepare);
    return stop;
  } catch (error) {
    // Secret keys are stored as hashes: this is the only chance to show them.
    announceKeys(serverLog, firstStart);
    throw error;
  }
}

/** A mistake in the provision file does not end a node that already serves requests. */
async function prepareWhenBack(
  serverLog: ServerLog,
  { nodes }: DatabaseHandle,
  prepare: () => Promise<FirstStart>,
): Promise<void> {
  for (;;) {
    await nodes.whenAvailable();
    try {
      return announceKeys(serverLog, await prepare());
    } catch (err) {
      if (!isDatabaseUnavailable(err)) {
        serverLog.log.error({ err }, 'failed to apply the provision file after PostgreSQL was back');
        return;
      }
    }
    await sleep(PREPARE_RETRY_MS, undefined, { ref: false });
  }
}

/** What starts before the configuration database is open. */
interface BaseServices {
  config: Config;
  log: Logger;
  events: EventStorage;
  tracer: OtlpTracer | undefined;
  requestServer: RequestServer;
}

interface Service extends BaseServices {
  handle: DatabaseHandle;
  configuration: Configuration;
  identities: SessionIdentities;
  leaderJobs: LeaderJobs;
}

/** Everything that serves requests; uses neither the events nor the database before `serve`. */
async function createService(base: BaseServices, handle: DatabaseHandle): Promise<Service> {
  const { config, log, events, tracer, requestServer } = base;
  const configuration = new Configuration(handle, configurationModel, {
    onError: (err) => {
      if (isDatabaseUnavailable(err)) return;
      log.error({ err }, 'failed to reload the configuration; keeping the previous one');
    },
    onInstalled: () => requestServer.configurationSaved(),
  });
  const writer = createConfigurationWriter(handle.database, configuration);
  const identities = new SessionIdentities(events.eventStore);
  events.onSessionsChanged((sessions) => identities.drop(sessions));
  const reportRunner = () =>
    new ReportRunner<ThreadRequest>({
      connect: () => events.connectThread(),
      // Workers store events too: their changes have to be asked for.
      changes: () => (config.workers > 1 ? events.sync().then(() => events.changes) : events.changes),
      log: (message) => log.warn(message),
      currentTrace: tracer && (() => tracer.current()),
    });
  const { nodes } = handle;
  const leaderJobs = new LeaderJobs({
    config,
    log,
    handle,
    configuration,
    writer,
    events,
    createReportRunner: reportRunner,
  });
  const metrics = new Metrics({
    storage: () => events.status,
    aaAlarms: () => leaderJobs.aaAlarms,
    node: nodes,
    workers: requestServer.workers,
  });
  await requestServer.create({
    config,
    version: readVersion(),
    log,
    handle,
    configuration,
    writer,
    events,
    identities,
    metrics,
    reports: reportRunner(),
    tracer,
    // They are sent by the leader.
    wakeWebhooks: (webhook) => nodes.send({ type: 'send-webhooks', webhook }),
  });
  return { ...base, handle, configuration, identities, leaderJobs };
}

async function serve(
  service: Service,
  initial: OpenedDatabase['initial'],
): Promise<{ url: string; stop: Stop }> {
  const { config, log, handle, configuration, events, identities, leaderJobs, tracer, requestServer } =
    service;
  const { nodes } = handle;
  await configuration.open(initial);
  const stopSnapshots =
    config.databaseUrl === undefined ? undefined : startSnapshots(config, log, configuration);
  const url = await requestServer.listen();
  const stopBackups = await listenForBackups(config.dataDir, events).catch((err) => {
    log.warn({ err }, 'cannot listen on control.sock in DATA_DIR; backups of the running server will fail');
    return () => {};
  });
  events.startVerification();
  nodes.onMessage((message) => {
    if (message.type === 'erased') identities.clear();
    else if (message.type === 'send-webhooks') leaderJobs.wakeWebhooks(message.webhook);
  });
  const stopLeading = leaderJobs.start();
  // Erasures wait until the journals of all nodes are stored.
  const publishJournal = () => publishOwnJournal(handle.database, events);
  const journalJobs = config.databaseUrl === undefined ? [] : nodeJobs(publishJournal);
  const stopJobs = startJobs([...requestServer.jobs(), ...journalJobs], log);
  const stop = async () => {
    if (config.shutdownDelayMs > 0) {
      await requestServer.announceShutdown();
      await sleep(config.shutdownDelayMs);
    }
    await stopBackups();
    await Promise.all([requestServer.close(), stopLeading()]);
    await stopJobs();
    await requestServer.flush();
    // Once more, now that nothing is accepted any more. Failing must not fail the stop.
    for (const { run } of journalJobs) await run().catch(() => undefined);
    await events.close();
    await stopSnapshots?.();
    await configuration.close();
    await handle.close();
    await tracer?.close();
  };
  return { url, stop };
}

/** The default needs no other process, and loads nothing for one. */
async function createRequestServer(config: Config, log: Logger): Promise<RequestServer> {
  if (config.workers === 1) return new LocalRequestServer();
  const { WorkerRequestServer } = await import('../cluster/workers/worker-request-server.ts');
  return new WorkerRequestServer(config, log);
}

function clickhouseOf({
  clickhouseUrl: url,
  clickhouseCluster: cluster,
  clickhouseMaxMemory: maxMemoryBytes,
}: Config): Pick<StorageOptions, 'clickhouse'> {
  if (url === undefined) return {};
  return {
    clickhouse: {
      url,
      ...(cluster !== undefined && { cluster }),
      ...(maxMemoryBytes !== undefined && { maxMemoryBytes }),
    },
  };
}

/** For a start while PostgreSQL is unavailable. */
function startSnapshots({ dataDir }: Config, log: Logger, configuration: Configuration): Stop {
  const onError = (err: unknown) => log.error({ err }, 'cannot write configuration-snapshot.json');
  return keepSnapshot({ dataDir, configuration, onError });
}
