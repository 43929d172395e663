import type { Logger } from 'pino';
import type { DatabaseHandle } from '../../configuration/database/database.ts';
import type { Configuration } from '../../configuration/snapshot/configuration.ts';
import type { ConfigurationWriter } from '../../configuration/writer/configuration-writer.ts';
import type { EventStorage } from '../../events/thread/event-storage.ts';
import type { ReportRunner } from '../../features/reports/report-runner.ts';
import type { SessionIdentities } from '../../features/sessions/session-identities.ts';
import type { WakeWebhooks } from '../../features/webhooks/webhook-routes.ts';
import type { Metrics, WorkerCounts } from '../../http/monitoring/metrics.ts';
import type { Job } from '../../jobs/scheduler.ts';
import type { Config } from '../../platform/settings/config.ts';
import type { RequestTracer } from '../../platform/tracing/tracer.ts';

/** What is needed to handle requests. */
export interface RequestServices {
  config: Config;
  version: string;
  log: Logger;
  handle: DatabaseHandle;
  configuration: Configuration;
  writer: ConfigurationWriter;
  events: EventStorage;
  identities: SessionIdentities;
  metrics: Metrics;
  /** Passes requests of any feature on. Closed together with the request server. */
  reports: ReportRunner<unknown>;
  wakeWebhooks: WakeWebhooks;
  /** Undefined: requests are not traced. */
  tracer: RequestTracer | undefined;
}

/** What responds to requests: the app in this process, or several processes with an app each. */
export interface RequestServer {
  /** Undefined if it has no processes of its own. */
  readonly workers?: WorkerCounts;
  /** Prepares what can be prepared before the storage is open. */
  create(services: RequestServices): Promise<void>;
  /** After `create`. Resolves with its URL once requests are served. */
  listen(): Promise<string>;
  jobs(): Job[];
  /** Returns when everyone who serves requests knows a change that this process has saved. */
  configurationSaved(): Promise<void>;
  /** Still serves requests, but tells clients and load balancers to go elsewhere. */
  announceShutdown(): Promise<void>;
  /** Stops listening, and finishes the requests that were accepted. */
  close(): Promise<void>;
  /** Saves what it still holds, after its jobs have stopped. */
  flush(): Promise<void>;
}
