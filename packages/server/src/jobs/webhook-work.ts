import type { Logger } from 'pino';
import type { Database } from '../configuration/database/database.ts';
import type { Configuration } from '../configuration/snapshot/configuration.ts';
import type { EventStorage } from '../events/thread/event-storage.ts';
import type { ReportRunner } from '../features/reports/report-runner.ts';
import { scopeOf } from '../features/reports/report-scope.ts';
import { findReported } from '../features/reports/reported-test.ts';
import { DeliveryJob } from '../features/webhooks/delivery-job.ts';
import { FeedbackWatch } from '../features/webhooks/feedback-watch.ts';
import { GoalTargetWatch } from '../features/webhooks/goal-target-watch.ts';
import { pruneDeliveries } from '../features/webhooks/prune-deliveries.ts';
import { SplitTestWatch } from '../features/webhooks/split-test-watch.ts';
import type { Config } from '../platform/settings/config.ts';
import type { Job } from './scheduler.ts';

export interface WebhookServices {
  config: Pick<Config, 'webhookAllowPrivate'>;
  log: Logger;
  database: Database;
  configuration: Configuration;
  events: EventStorage;
  /** On a thread of its own: if an evaluation takes too long, no requested report is lost. */
  reports: ReportRunner;
}

export interface WebhookWork {
  deliver: Job['run'];
  watchFeedback: Job['run'];
  watchTests: Job['run'];
  watchGoals: Job['run'];
  prune: Job['run'];
  /** Sends queued deliveries without delay. */
  wake: DeliveryJob['wake'];
  /** Cancels running requests. */
  close: () => Promise<void>;
}

/** Sends webhooks, and notices what they are about. */
export function createWebhookWork(services: WebhookServices): WebhookWork {
  const { config, log, database, configuration, events, reports } = services;
  const properties = () => configuration.properties();
  const deliveries = new DeliveryJob({
    database,
    log,
    allowPrivate: config.webhookAllowPrivate,
    property: (id) => configuration.property(id),
  });
  const onQueued = () => deliveries.wake();
  const { eventStore } = events;
  const feedback = new FeedbackWatch({
    database,
    properties,
    eventStore,
    onQueued,
    changes: () => events.changes,
  });
  const goals = new GoalTargetWatch({ database, properties, eventStore, onQueued });
  const tests = new SplitTestWatch({
    database,
    properties,
    onQueued,
    log,
    evaluate: async (property, test) => {
      const scope = scopeOf(property, findReported(property, test.key), undefined, Date.now());
      const { body } = await reports.run({ type: 'verdict', scope });
      return JSON.parse(new TextDecoder().decode(body));
    },
    release: () => reports.release(),
    isStopping: () => reports.isClosed,
  });
  // Deliveries are deleted with their webhook: most installations have none, and nothing to look for.
  const ifWebhooks = (run: () => Promise<void>) => async () => {
    if (properties().some(({ webhooks }) => webhooks.length > 0)) await run();
  };
  return {
    deliver: ifWebhooks(() => deliveries.run()),
    watchFeedback: () => feedback.run(),
    watchTests: () => tests.run(Date.now()),
    watchGoals: () => goals.run(Date.now()),
    prune: ifWebhooks(() => pruneDeliveries(database, properties(), Date.now())),
    wake: (webhook) => deliveries.wake(webhook),
    close: async () => {
      await reports.close();
      await deliveries.close();
    },
  };
}
