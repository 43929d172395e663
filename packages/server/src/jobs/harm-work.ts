import type { Logger } from 'pino';
import type { Configuration } from '../configuration/snapshot/configuration.ts';
import type { ConfigurationWriter } from '../configuration/writer/configuration-writer.ts';
import type { ReportRunner } from '../features/reports/report-runner.ts';
import { scopeOf } from '../features/reports/report-scope.ts';
import { HarmWatch } from '../features/split-testing/harm-watch.ts';
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

/** Stops what does harm, and tells the webhooks in the same transaction. */
export function createHarmWatch({ log, configuration, writer, reports, clock }: HarmServices): HarmWatch {
  return new HarmWatch({
    log,
    writer,
    ...(clock && { clock }),
    properties: () => configuration.properties(),
    evaluate: async (property, test) => {
      const scope = scopeOf(property, test, undefined, Date.now());
      const { body } = await reports.run({ type: 'harm', scope });
      return JSON.parse(new TextDecoder().decode(body));
    },
    notify: async (database, { id, webhooks }, stopped, at) => {
      const dedupeKey = `harm:${stopped.splitTest.key}:${at}`;
      await enqueue(database, id, webhooks, { type: 'harm.stopped', data: stopped, dedupeKey, at });
    },
    release: () => reports.release(),
    isStopping: () => reports.isClosed,
  });
}
