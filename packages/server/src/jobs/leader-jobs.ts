import type { Logger } from 'pino';
import type { DatabaseHandle } from '../configuration/database/database.ts';
import type { Configuration } from '../configuration/snapshot/configuration.ts';
import type { ConfigurationWriter } from '../configuration/writer/configuration-writer.ts';
import type { EventStorage } from '../events/thread/event-storage.ts';
import { connectEventStore } from '../events/thread/event-store-client.ts';
import { DailyAaTest } from '../features/aa-test/daily-aa-test.ts';
import { runPendingErasures } from '../features/erasure/erasure-service.ts';
import { ErasureWait } from '../features/erasure/erasure-wait.ts';
import { deleteLateEvents } from '../features/erasure/property-deletions.ts';
import { suppressingStore } from '../features/erasure/suppressing-store.ts';
import { SUPPRESSIONS_KNOWN_MS } from '../features/erasure/suppression-list.ts';
import { sweepFeedbackStates } from '../features/feedback/feedback-states.ts';
import { runRollouts } from '../features/flags/run-rollouts.ts';
import { deleteOldUsage } from '../features/flags/usage-cleanup.ts';
import { deleteUsageOfDeletedKeys } from '../features/keys/credential-usage-store.ts';
import { Retention } from '../features/properties/retention-job.ts';
import { aaScope } from '../features/reports/aa-scope.ts';
import { CountAhead } from '../features/reports/count-ahead.ts';
import type { ReportRunner } from '../features/reports/report-runner.ts';
import { deleteOldSalts } from '../features/sessions/daily-salt.ts';
import type { HarmWatch } from '../features/split-testing/harm-watch.ts';
import { runSchedule } from '../features/split-testing/run-schedule.ts';
import { forgettingDeliveries } from '../features/webhooks/forget-deliveries.ts';
import { deleteOldJournals, nodesBehind, readJournals } from '../operations/nodes/node-journals.ts';
import type { Config } from '../platform/settings/config.ts';
import { createHarmWatch } from './harm-work.ts';
import { type LeaderWork, leaderJobs } from './job-list.ts';
import { startJobs } from './scheduler.ts';
import { createWebhookWork, type WebhookWork } from './webhook-work.ts';

/** The evaluation of a missed day can wait until the first requests are served. */
const AA_TEST_START_DELAY_MS = 5 * 60 * 1000;

export interface LeaderJobServices {
  config: Config;
  log: Logger;
  handle: DatabaseHandle;
  configuration: Configuration;
  writer: ConfigurationWriter;
  events: EventStorage;
  /** Each has a thread of its own: if an evaluation takes too long, no requested report is lost. */
  createReportRunner: () => ReportRunner;
}

interface RunningJobs {
  /** Number of properties whose A/A test raises an alarm. */
  aaAlarms: () => number;
  wakeWebhooks: WebhookWork['wake'];
  stop: () => Promise<void>;
}

/**
 * Runs the jobs of the leader on this node, while it leads. What they remember starts anew each time, as after a restart.
 */
export class LeaderJobs {
  readonly #services: LeaderJobServices;
  #running: RunningJobs | undefined;

  constructor(services: LeaderJobServices) {
    this.#services = services;
  }

  /** Only the leader knows. */
  get aaAlarms(): number {
    return this.#running?.aaAlarms() ?? 0;
  }

  readonly wakeWebhooks: WebhookWork['wake'] = (webhook) => this.#running?.wakeWebhooks(webhook);

  /** Returns a function that stops the jobs and leaves them to another node. */
  start(): () => Promise<void> {
    return this.#services.handle.nodes.lead(() => {
      const running = run(this.#services);
      this.#running = running;
      return () => {
        this.#running = undefined;
        return running.stop();
      };
    });
  }
}

function run(services: LeaderJobServices): RunningJobs {
  const { config, log, handle, configuration, writer, events, createReportRunner } = services;
  const counting = events.connectThread();
  const countAhead = new CountAhead({
    eventStore: connectEventStore(counting),
    properties: () => configuration.properties(),
  });
  const aaReports = createReportRunner();
  const aaTest = createAaTest(services, aaReports);
  const harmReports = createReportRunner();
  const harmWatch = createHarmWatch({ log, configuration, writer, reports: harmReports });
  const webhooks = createWebhookWork({
    config,
    log,
    configuration,
    events,
    database: handle.background,
    reports: createReportRunner(),
  });
  const work = leaderWork(services, { aaTest, countAhead, harmWatch, webhooks });
  const stopJobs = startJobs(leaderJobs(work), log);
  return {
    aaAlarms: () => aaTest.alarms,
    wakeWebhooks: webhooks.wake,
    stop: async () => {
      // Cancels a count, which would take seconds for a large test.
      counting.close();
      await aaReports.close();
      await harmReports.close();
      await webhooks.close();
      await stopJobs();
    },
  };
}

function createAaTest(
  { config, log, handle, configuration, events }: LeaderJobServices,
  reports: ReportRunner,
): DailyAaTest {
  return new DailyAaTest({
    log,
    database: handle.background,
    eventStore: events.eventStore,
    properties: () => configuration.properties(),
    // The position is that of this node; others may have stored events.
    hasEvents: () => config.clickhouseUrl !== undefined || events.status.position > 0,
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

/** What remembers something between its runs. */
interface LongLived {
  aaTest: DailyAaTest;
  countAhead: CountAhead;
  harmWatch: HarmWatch;
  webhooks: WebhookWork;
}

function leaderWork(
  services: LeaderJobServices,
  { aaTest, countAhead, harmWatch, webhooks }: LongLived,
): LeaderWork {
  const { config, handle, configuration, events } = services;
  const { eventStore } = events;
  const database = handle.background;
  const sweep = (propertyIds: readonly string[]) =>
    sweepFeedbackStates({ database, eventStore }, propertyIds);
  const retention = new Retention(eventStore, {
    onExpired: (propertyId) => sweep([propertyId]),
    removeRemains: () => handle.scrub(),
  });
  const wait = waitForNodes(services);
  const suppressing = suppressingStore(database, eventStore, SUPPRESSIONS_KNOWN_MS);
  const forgetting = forgettingDeliveries(database, suppressing);
  const afterErasures = (propertyIds: readonly string[]) => {
    handle.nodes.send({ type: 'erased' });
    countAhead.startAgain();
    return sweep(propertyIds);
  };
  return {
    erase: () => runPendingErasures(handle, forgetting, afterErasures, wait?.ready),
    deleteLateEvents: () => deleteLateEvents(database, eventStore, Date.now()),
    deleteOldSalts: () => deleteOldSalts(handle, Date.now()),
    applySchedules: () => applySchedules(services),
    enforceRetention: () => retention.enforce(configuration.properties(), Date.now()),
    countRunningTests: () => countAhead.run(),
    stopHarm: () => harmWatch.run(),
    runAaTest: () => aaTest.run(Date.now()),
    deleteOldJournals:
      config.databaseUrl === undefined
        ? undefined
        : () => deleteOldJournals(database, () => eventStore.positions(), Date.now()),
    deleteOldUsage: async () => {
      await deleteOldUsage(database, Date.now());
      await deleteUsageOfDeletedKeys(database);
    },
    webhooks,
  };
}

async function applySchedules({ log, writer, configuration }: LeaderJobServices): Promise<void> {
  const tests = await runSchedule(writer, configuration.properties(), Date.now());
  for (const change of tests) log.info(change, 'split test changed by its schedule');
  const rollouts = await runRollouts(writer, configuration.properties(), Date.now());
  for (const change of rollouts) log.info(change, 'rollout changed by its schedule');
}

/** Other nodes have journals too; undefined if there are none. */
function waitForNodes({ config, log, handle, events }: LeaderJobServices): ErasureWait | undefined {
  if (config.databaseUrl === undefined) return undefined;
  return new ErasureWait({
    findNodesBehind: async () => {
      const journals = await readJournals(handle.background);
      const stored = await events.eventStore.positions();
      return (before) => nodesBehind(journals, stored, { before, now: Date.now() });
    },
    warn: (details, message) => log.warn(details, message),
  });
}
