import type { Logger } from 'pino';
import type { DatabaseHandle } from '../configuration/database/database.ts';
import type { Configuration } from '../configuration/snapshot/configuration.ts';
import type { ConfigurationWriter } from '../configuration/writer/configuration-writer.ts';
import type { EventStorage } from '../events/thread/event-storage.ts';
import { connectEventStore } from '../events/thread/event-store-client.ts';
import type { ThreadConnection } from '../events/thread/storage-channel.ts';
import { DailyAaTest } from '../features/aa-test/daily-aa-test.ts';
import { runPendingErasures } from '../features/erasure/erasure-service.ts';
import { ErasureWait } from '../features/erasure/erasure-wait.ts';
import { deleteLateEvents } from '../features/erasure/property-deletions.ts';
import { suppressingStore } from '../features/erasure/suppressing-store.ts';
import { SUPPRESSIONS_KNOWN_MS } from '../features/erasure/suppression-list.ts';
import { sweepFeedbackStates } from '../features/feedback/feedback-states.ts';
import { runRollouts } from '../features/flags/rollout-schedule.ts';
import { Retention } from '../features/properties/retention.ts';
import { aaScope } from '../features/reports/aa-scope.ts';
import { CountAhead } from '../features/reports/count-ahead.ts';
import type { ReportRunner } from '../features/reports/report-runner.ts';
import { deleteOldSalts } from '../features/sessions/daily-salt.ts';
import { runSchedule } from '../features/split-testing/schedule.ts';
import { forgettingDeliveries } from '../features/webhooks/forget-deliveries.ts';
import { deleteOldJournals, nodesBehind, readJournals } from '../operations/nodes/node-journals.ts';
import type { Config } from '../platform/settings/config.ts';
import { type Job, startJobs } from './background-jobs.ts';
import { usageCleanup } from './usage-recording.ts';
import { createWebhookJobs, type WebhookJobs } from './webhook-jobs.ts';

const ERASURE_POLL_MS = 1000;
const SALT_POLL_MS = 10_000;
const SCHEDULE_POLL_MS = 250;
const RETENTION_POLL_MS = 1000;
const JOURNAL_CLEANUP_MS = 60 * 60 * 1000;
const LATE_EVENTS_MS = 60 * 60 * 1000;
const AA_TEST_POLL_MS = 1000;
const COUNT_AHEAD_POLL_MS = 1000;
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

export interface LeaderJobs {
  /** Number of properties whose A/A test raises an alarm. */
  aaAlarms: () => number;
  wakeWebhooks: WebhookJobs['wake'];
  stop: () => Promise<void>;
}

/** Starts the jobs of which there must be one for all nodes. What they remember starts anew, as after a restart. */
export function startLeaderJobs(services: LeaderJobServices): LeaderJobs {
  const { config, log, handle, configuration, events, createReportRunner } = services;
  const counting = events.connectThread();
  const aaReports = createReportRunner();
  const aaTest = createAaTest(services, aaReports);
  const webhooks = createWebhookJobs({
    config,
    log,
    configuration,
    events,
    database: handle.background,
    reports: createReportRunner(),
  });
  const stopJobs = startJobs(
    [
      ...jobsOf(services, aaTest, counting),
      ...journalCleanup(services),
      usageCleanup(handle.background),
      ...webhooks.jobs,
    ],
    log,
  );
  return {
    aaAlarms: () => aaTest.alarms,
    wakeWebhooks: webhooks.wake,
    stop: async () => {
      // Cancels a count, which would take seconds for a large test.
      counting.port.close();
      await aaReports.close();
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

function jobsOf(services: LeaderJobServices, aaTest: DailyAaTest, counting: ThreadConnection): Job[] {
  const { handle, configuration, events } = services;
  const { eventStore } = events;
  const sweep = (propertyIds: readonly string[]) =>
    sweepFeedbackStates({ database: handle.background, eventStore }, propertyIds);
  const retention = new Retention(eventStore, {
    onExpired: (propertyId) => sweep([propertyId]),
    removeRemains: () => handle.scrub(),
  });
  const countAhead = new CountAhead({
    eventStore: connectEventStore(counting),
    properties: () => configuration.properties(),
  });
  const wait = waitForNodes(services);
  const suppressing = suppressingStore(handle.background, eventStore, SUPPRESSIONS_KNOWN_MS);
  const forgetting = forgettingDeliveries(handle.background, suppressing);
  return [
    {
      name: 'erasure',
      everyMs: ERASURE_POLL_MS,
      run: () =>
        runPendingErasures(
          handle,
          forgetting,
          (propertyIds) => {
            handle.nodes.send({ type: 'erased' });
            countAhead.startAgain();
            return sweep(propertyIds);
          },
          wait?.ready,
        ),
    },
    {
      name: 'deletion of late events of deleted properties',
      everyMs: LATE_EVENTS_MS,
      run: () => deleteLateEvents(handle.background, eventStore, Date.now()),
    },
    {
      name: 'deletion of daily salts',
      everyMs: SALT_POLL_MS,
      run: () => deleteOldSalts(handle, Date.now()),
    },
    {
      name: 'schedule',
      everyMs: SCHEDULE_POLL_MS,
      run: () => applySchedules(services),
    },
    {
      name: 'retention',
      everyMs: RETENTION_POLL_MS,
      run: () => retention.enforce(configuration.properties(), Date.now()),
    },
    {
      name: 'counting of running split tests',
      everyMs: COUNT_AHEAD_POLL_MS,
      run: () => countAhead.run(),
    },
    {
      name: 'A/A test',
      everyMs: AA_TEST_POLL_MS,
      run: () => aaTest.run(Date.now()),
    },
  ];
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

function journalCleanup({ config, handle, events }: LeaderJobServices): Job[] {
  if (config.databaseUrl === undefined) return [];
  const positions = () => events.eventStore.positions();
  const run = () => deleteOldJournals(handle.background, positions, Date.now());
  return [{ name: 'cleanup of node journals', everyMs: JOURNAL_CLEANUP_MS, run }];
}
