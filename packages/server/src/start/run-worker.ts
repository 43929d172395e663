import cluster from 'node:cluster';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { LeasedTokens } from '../cluster/workers/leased-tokens.ts';
import { SharedIdentities } from '../cluster/workers/shared-identities.ts';
import type { PrimaryMethods, WorkerMethods } from '../cluster/workers/worker-methods.ts';
import type { DatabaseHandle } from '../configuration/database/database.ts';
import { ThreadedSqlite } from '../configuration/database/sqlite/threaded-sqlite.ts';
import { type Configuration, openConfiguration } from '../configuration/snapshot/configuration.ts';
import { EventStorage } from '../events/thread/event-storage.ts';
import { SocketChannel } from '../events/thread/socket/socket-channel.ts';
import { connectToStorage } from '../events/thread/socket/storage-socket.ts';
import type { AttemptBy } from '../features/accounts/sign-in-throttle.ts';
import { SessionIdentities } from '../features/sessions/session-identities.ts';
import { AccessChanges } from '../http/access/access-changes.ts';
import { Metrics } from '../http/monitoring/metrics.ts';
import { listen } from '../http/pipeline/listen.ts';
import { processJobs } from '../jobs/job-list.ts';
import { startJobs } from '../jobs/scheduler.ts';
import { UsageRecording } from '../jobs/usage-recording.ts';
import { byMethod, type CallMessage, RemoteCalls } from '../platform/calls/remote-calls.ts';
import { exitAfterFailure } from '../platform/errors/exit-after-failure.ts';
import { isDatabaseUnavailable } from '../platform/errors/storage-error.ts';
import { createLog } from '../platform/log/log.ts';
import type { Config } from '../platform/settings/config.ts';
import { openTracer } from '../platform/tracing/open-tracer.ts';
import { readVersion } from '../platform/version.ts';
import { configurationModel, createConfigurationWriter } from './definitions.ts';
import { openExpectedDatabase } from './first-start.ts';

/** How long the primary process may take to exit when the storage has failed. */
const LOST_MS = 10_000;

type Primary = RemoteCalls<PrimaryMethods>;

interface Serving {
  app: FastifyInstance;
  metrics: Metrics;
  configuration: Configuration;
  access: AccessChanges;
  stop: () => Promise<void>;
}

/** One of several processes that serve requests; the primary process has the storage, and runs the jobs. */
export async function runWorker(config: Config): Promise<void> {
  const log = createLog(config).log.child({ worker: cluster.worker!.id });
  process.umask(0o077);
  // The primary process gets them too, and says when to stop.
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {});
  // Without the primary process nothing can be stored.
  process.on('disconnect', () => process.exit(1));
  let serving: Serving | undefined;
  let stopping = false;
  const answer = byMethod<WorkerMethods>({
    stop: async () => {
      stopping = true;
      await serving?.stop();
      process.exit(0);
    },
    announceShutdown: () => serving?.app.shutdownNotice.announce(),
    metrics: () => serving!.metrics.snapshot(),
    reloadConfiguration: () => serving!.configuration.reload(),
    checkAccess: () => serving!.access.check(),
  });
  const primary: Primary = new RemoteCalls((message) => process.send?.(message), answer);
  process.on('message', (message: CallMessage) => primary.receive(message));
  try {
    const appModule = import('./app.ts');
    await primary.call('waitForStart', []);
    serving = await serve(config, log, primary, await appModule);
    const url = await listen(serving.app, config);
    if (!stopping) await primary.call('listening', [url]);
  } catch (error) {
    await primary.call('startFailed', [(error as Error).message]);
    process.exit(1);
  }
}

async function serve(
  config: Config,
  log: Logger,
  primary: Primary,
  { createApp }: typeof import('./app.ts'),
): Promise<Serving> {
  const sqlite = new ThreadedSqlite((err) => {
    void exitAfterFailure(log, err, 'configuration database thread failed; exiting', events.close());
  });
  const openSqlite = (path: string) => sqlite.open(path);
  const { handle, initial } = await openExpectedDatabase(config, false, { openSqlite }, log);
  const { database, nodes } = handle;
  const configuration = await openConfiguration(handle, configurationModel, {
    initial,
    onError: (err) => {
      if (isDatabaseUnavailable(err)) return;
      log.error({ err }, 'failed to reload the configuration; keeping the previous one');
    },
    onInstalled: () => primary.call('configurationSaved', []),
  });
  // What others store before there is a cache need not be remembered.
  let identities: SessionIdentities | undefined;
  let app: FastifyInstance | undefined;
  // It is not known whether requests without an outcome were stored: no response is better than a wrong one.
  const disconnectClients = () => app?.server.closeAllConnections();
  const events = await connectEvents(config, log, sqlite, () => identities, disconnectClients);
  const remembered = new SessionIdentities(events.eventStore);
  identities = remembered;
  events.onSessionsChanged((sessions) => remembered.drop(sessions));
  const usage = createUsage(handle);
  const metrics = new Metrics({ storage: () => events.status, aaAlarms: () => 0, node: nodes });
  const tracer = await openTracer(config.tracing, log);
  const access = new AccessChanges(() => primary.call('accessChanged', []));
  nodes.onMessage((message) => {
    if (message.type === 'erased') identities?.clear();
  });
  app = await createApp({
    config,
    version: readVersion(),
    log,
    configuration,
    events,
    database,
    usage,
    metrics,
    nodes,
    tracer,
    access,
    watch: (onChange) => handle.watch(onChange),
    scrub: () => handle.scrub(),
    writer: createConfigurationWriter(database, configuration),
    identities: new SharedIdentities(remembered, () => events.sync()),
    reports: {
      run: (request, signal) => primary.call('report', [request], { signal }),
      close: async () => {},
    },
    metricsText: () => primary.call('metrics', []),
    tokens: new LeasedTokens({
      lease: (wanted) => primary.call('lease', [wanted]),
      giveBack: (unused) => primary.notify('giveBack', [unused]),
    }),
    signInAttempts: signInAttempts(primary),
    wakeWebhooks: (webhook) => primary.notify('wakeWebhooks', [webhook]),
  });
  const stopJobs = startJobs(processJobs(usage), log);
  const served = app;
  const stop = async () => {
    await served.close();
    await stopJobs();
    await usage.close(log);
    await events.close();
    await configuration.close();
    await handle.close();
    await tracer?.close();
  };
  return { app: served, metrics, configuration, access, stop };
}

async function connectEvents(
  config: Config,
  log: Logger,
  sqlite: ThreadedSqlite,
  identities: () => SessionIdentities | undefined,
  onLost: () => void,
): Promise<EventStorage> {
  const socket = await connectToStorage(config.dataDir);
  socket.on('close', onLost);
  return EventStorage.connect(new SocketChannel(socket), config.journalMaxBytes, {
    processes: config.workers,
    log: (level, message) => log[level](message),
    onFailure: (err) => {
      // Usually the primary process is about to exit, and says why.
      setTimeout(() => void exitAfterFailure(log, err, 'lost the storage; exiting', sqlite.close()), LOST_MS);
    },
    onCollected: (collected) => {
      for (const identity of collected) identities()?.remember(identity);
    },
    onErased: () => identities()?.clear(),
  });
}

function createUsage(handle: DatabaseHandle): UsageRecording {
  const usage = new UsageRecording(handle.database);
  handle.watch(() => usage.noticeOtherWrites());
  return usage;
}

const signInAttempts = (primary: Primary) => ({
  begin: async (by: AttemptBy) => {
    await primary.call('beginSignIn', [by]);
    return {
      succeeded: () => primary.notify('endSignIn', [by, 'succeeded']),
      incomplete: () => primary.notify('endSignIn', [by, 'incomplete']),
    };
  },
});
