import type { HarmStopped } from '@switchyard/core/api/webhook-payloads';
import { plannedPhases } from '@switchyard/core/lifecycle/guarded-rollout';
import { measuredKey } from '@switchyard/core/lifecycle/measured-key';
import type { Logger } from 'pino';
import type { Database } from '../configuration/database/database.ts';

import type { PropertyConfiguration, SplitTest } from '../configuration/property/property-configuration.ts';
import type { Configuration } from '../configuration/snapshot/configuration.ts';
import type { ConfigurationWriter } from '../configuration/writer/configuration-writer.ts';
import type { RolloutNotice } from '../features/flags/change-guarded-rollout.ts';
import type { GuardedPlace } from '../features/flags/guarded-rollouts.ts';
import { watchedRollouts } from '../features/flags/watched-rollouts.ts';
import type { ReportRequest } from '../features/reports/report-request.ts';
import type { ReportRunner } from '../features/reports/report-runner.ts';
import { scopeOf } from '../features/reports/report-scope.ts';
import { findMeasuredRule } from '../features/reports/reported-test.ts';
import { rolloutScope } from '../features/reports/rollout/rollout-scope.ts';
import { HarmWatch } from '../features/split-testing/harm-watch.ts';
import { watchedTests } from '../features/split-testing/watched-tests.ts';
import { enqueue } from '../features/webhooks/enqueue.ts';

export interface HarmServices {
  log: Logger;
  configuration: Pick<Configuration, 'properties'>;
  writer: ConfigurationWriter;
  /** On a thread of its own: if an evaluation takes too long, no requested report is lost. */
  reports: ReportRunner;
  /** Monotonic, in milliseconds. */
  clock?: () => number;
}

/** Stops what does harm, makes the steps of rollouts without it, and tells the webhooks in the same transaction. */
export function createHarmWatch({ log, configuration, writer, reports, clock }: HarmServices): HarmWatch {
  const report = async (request: ReportRequest) => {
    const { body } = await reports.run(request);
    return JSON.parse(new TextDecoder().decode(body));
  };
  const tests = {
    log,
    writer,
    evaluate: (property: PropertyConfiguration, test: SplitTest) =>
      report({ type: 'harm', scope: scopeOf(property, test, undefined, Date.now()) }),
    notify: async (
      database: Database,
      { id, webhooks }: PropertyConfiguration,
      stopped: HarmStopped,
      at: number,
    ) => {
      const dedupeKey = `harm:${stopped.splitTest!.key}:${at}`;
      await enqueue(database, id, webhooks, { type: 'harm.stopped', data: stopped, dedupeKey, at });
    },
  };
  const rollouts = {
    log,
    writer,
    evaluate: async ({ property, name, rollout, plan }: GuardedPlace) => {
      const scope = rolloutScope(property, findMeasuredRule(property, name), rollout, {
        firstPhase: plan?.firstPhase ?? 1,
        plannedPhases: plan ? plannedPhases(plan) : 1,
        now: Date.now(),
      });
      return report({ type: 'rollout', scope });
    },
    notifyOfRollout: async (
      database: Database,
      { id, webhooks }: PropertyConfiguration,
      notice: RolloutNotice,
      at: number,
    ) => {
      const dedupeKey = `${notice.type}:${measuredKey(notice.data.measuredRule!)}:${at}`;
      await enqueue(database, id, webhooks, { ...notice, dedupeKey, at });
    },
  };
  return new HarmWatch({
    log,
    clock,
    watched: () => {
      const properties = configuration.properties();
      const now = Date.now();
      return [...watchedTests(properties, tests), ...watchedRollouts(properties, { ...rollouts, now })];
    },
    release: () => reports.release(),
    isStopping: () => reports.isClosed,
  });
}
