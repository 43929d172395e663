import type { Job } from './scheduler.ts';
import type { UsageRecording } from './usage-recording.ts';
import type { WebhookWork } from './webhook-work.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

type Work = Job['run'];

/** What `leader-jobs.ts` puts together. */
export interface LeaderWork {
  erase: Work;
  deleteLateEvents: Work;
  deleteOldSalts: Work;
  applySchedules: Work;
  enforceRetention: Work;
  countRunningTests: Work;
  stopHarm: Work;
  runAaTest: Work;
  /** Undefined if there is only one node. */
  deleteOldJournals: Work | undefined;
  deleteOldUsage: Work;
  webhooks: WebhookWork;
}

/** Of which there must be one for all nodes. */
export function leaderJobs(work: LeaderWork): Job[] {
  const { webhooks, deleteOldJournals } = work;
  return [
    { name: 'erasure', everyMs: SECOND, run: work.erase },
    { name: 'deletion of late events of deleted properties', everyMs: HOUR, run: work.deleteLateEvents },
    { name: 'deletion of daily salts', everyMs: 10 * SECOND, run: work.deleteOldSalts },
    { name: 'schedule', everyMs: 250, run: work.applySchedules },
    { name: 'retention', everyMs: SECOND, run: work.enforceRetention },
    { name: 'counting of running split tests', everyMs: SECOND, run: work.countRunningTests },
    { name: 'stop of harm', everyMs: SECOND, run: work.stopHarm },
    { name: 'A/A test', everyMs: SECOND, run: work.runAaTest },
    ...(deleteOldJournals === undefined
      ? []
      : [{ name: 'cleanup of node journals', everyMs: HOUR, run: deleteOldJournals }]),
    { name: 'cleanup of usage', everyMs: 10 * MINUTE, run: work.deleteOldUsage },
    { name: 'webhook delivery', everyMs: SECOND, run: webhooks.deliver },
    { name: 'webhooks for feedback', everyMs: SECOND, run: webhooks.watchFeedback },
    { name: 'webhooks for split tests', everyMs: SECOND, run: webhooks.watchTests },
    { name: 'webhooks for goals', everyMs: SECOND, run: webhooks.watchGoals },
    { name: 'deletion of old webhook deliveries', everyMs: 10 * MINUTE, run: webhooks.prune },
  ];
}

/** Of each node that shares its storage with others. */
export function nodeJobs(publishJournal: Work): Job[] {
  return [{ name: 'position of the journal', everyMs: 2 * SECOND, run: publishJournal }];
}

/** Of each process that serves requests. */
export function processJobs(usage: UsageRecording): Job[] {
  return [
    { name: 'flag usage', everyMs: 10 * SECOND, run: () => usage.saveFlags() },
    { name: 'last use of keys', everyMs: MINUTE, run: () => usage.saveCredentials() },
  ];
}
