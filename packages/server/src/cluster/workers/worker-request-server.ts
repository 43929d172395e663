import type { Logger } from 'pino';
import { SignInThrottle } from '../../features/accounts/sign-in-throttle.ts';
import { TokenBuckets } from '../../http/access/token-buckets.ts';
import type { WorkerCounts } from '../../http/monitoring/metrics.ts';
import type { Job } from '../../jobs/scheduler.ts';
import type { Handlers } from '../../platform/calls/remote-calls.ts';
import type { Config } from '../../platform/settings/config.ts';
import { CombinedMetrics } from './combined-metrics.ts';
import type { RequestServer, RequestServices } from './request-server.ts';
import type { PrimaryMethods } from './worker-methods.ts';
import { WorkerPool } from './worker-pool.ts';

/** How long a scrape waits for a worker; then its last metrics count. */
const METRICS_TIMEOUT_MS = 1000;
/** How long a change waits for a worker; then the worker notices it by itself. */
const RELOAD_TIMEOUT_MS = 2000;
/** How long a shutdown waits for a worker to know about it. */
const ANNOUNCE_TIMEOUT_MS = 1000;
/** Part of what is left of a limit that a worker may take in advance, divided by the number of workers. */
const LEASE_SHARE = 1 / 4;

/** Serves requests in worker processes, and answers what they have to ask for. */
export class WorkerRequestServer implements RequestServer {
  readonly workers: WorkerCounts = {
    serving: () => this.#pool.size,
    restarts: () => this.#pool.restarts,
  };
  readonly #pool: WorkerPool;
  readonly #config: Config;
  readonly #tokens: TokenBuckets;
  readonly #signIns = new SignInThrottle();
  readonly #metrics = new CombinedMetrics();
  readonly #ready: Promise<RequestServices>;
  #setReady: (services: RequestServices) => void = () => {};
  #services: RequestServices | undefined;

  /** Starts the workers: they load their code while this process opens the storage. */
  constructor(config: Config, log: Logger) {
    this.#config = config;
    this.#tokens = new TokenBuckets({
      perKey: config.rateLimitPerSecond,
      perAddress: config.rateLimitPerAddress,
    });
    this.#ready = new Promise((resolve) => {
      this.#setReady = resolve;
    });
    this.#pool = new WorkerPool({
      size: config.workers,
      log,
      handlers: (workerId) => this.#handlers(workerId),
      onExit: (workerId) => this.#metrics.end(workerId),
    });
  }

  async create(services: RequestServices): Promise<void> {
    this.#services = services;
  }

  listen(): Promise<string> {
    this.#setReady(this.#services!);
    return this.#pool.serving;
  }

  jobs(): Job[] {
    return [];
  }

  configurationSaved(): Promise<void> {
    return this.#reloadWorkers();
  }

  announceShutdown(): Promise<void> {
    return this.#pool.callAll('announceShutdown', ANNOUNCE_TIMEOUT_MS);
  }

  async close(): Promise<void> {
    await this.#pool.stop();
    await this.#services?.reports.close();
  }

  async flush(): Promise<void> {}

  #handlers(workerId: number): Omit<Handlers<PrimaryMethods>, 'listening' | 'startFailed'> {
    const share = LEASE_SHARE / this.#config.workers;
    return {
      waitForStart: async () => {
        await this.#ready;
      },
      report: async ([request], { signal }) => (await this.#ready).reports.run(request, signal),
      lease: ([wanted]) => wanted.map(([kind, id, count]) => this.#tokens.lease(kind, id, count, share)),
      giveBack: ([unused]) => {
        for (const [kind, id, count] of unused) this.#tokens.giveBack(kind, id, count);
      },
      metrics: () => this.#metricsText(),
      configurationSaved: async () => {
        const { configuration } = await this.#ready;
        await Promise.all([configuration.reload(), this.#reloadWorkers(workerId)]);
      },
      accessChanged: () => this.#pool.callAll('checkAccess', RELOAD_TIMEOUT_MS, undefined, workerId),
      wakeWebhooks: async ([webhook]) => (await this.#ready).wakeWebhooks(webhook),
      beginSignIn: ([by]) => {
        this.#signIns.begin(by);
      },
      endSignIn: ([by, outcome]) => this.#signIns[outcome](by),
    };
  }

  #reloadWorkers(except?: number): Promise<void> {
    return this.#pool.callAll('reloadConfiguration', RELOAD_TIMEOUT_MS, undefined, except);
  }

  async #metricsText(): Promise<string> {
    const { metrics } = await this.#ready;
    await this.#pool.callAll('metrics', METRICS_TIMEOUT_MS, (workerId, snapshot) =>
      this.#metrics.update(workerId, snapshot),
    );
    return this.#metrics.text(await metrics.snapshot());
  }
}
