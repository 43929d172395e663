import type { FastifyInstance } from 'fastify';
import type { RequestServer, RequestServices } from '../cluster/workers/request-server.ts';
import { SignInThrottle } from '../features/accounts/sign-in-throttle.ts';
import { AccessChanges } from '../http/access/access-changes.ts';
import { TokenBuckets } from '../http/access/token-buckets.ts';
import { listen } from '../http/pipeline/listen.ts';
import { processJobs } from '../jobs/job-list.ts';
import type { Job } from '../jobs/scheduler.ts';
import { UsageRecording } from '../jobs/usage-recording.ts';

/** Serves requests in this process. */
export class LocalRequestServer implements RequestServer {
  /** Loaded while the storage threads start and open their files. */
  readonly #module = import('./app.ts');
  #serving: { services: RequestServices; app: FastifyInstance; usage: UsageRecording } | undefined;

  async create(services: RequestServices): Promise<void> {
    const { config, handle, metrics } = services;
    const { database, nodes } = handle;
    const usage = new UsageRecording(database);
    const { createApp } = await this.#module;
    const app = await createApp({
      ...services,
      database,
      nodes,
      usage,
      watch: (onChange) => handle.watch(onChange),
      scrub: () => handle.scrub(),
      access: new AccessChanges(),
      metricsText: () => metrics.text(),
      tokens: new TokenBuckets({ perKey: config.rateLimitPerSecond, perAddress: config.rateLimitPerAddress }),
      signInAttempts: new SignInThrottle(),
    });
    await app.ready();
    this.#serving = { services, app, usage };
  }

  async listen(): Promise<string> {
    const { app, services } = this.#serving!;
    return listen(app, services.config);
  }

  jobs(): Job[] {
    return this.#serving === undefined ? [] : processJobs(this.#serving.usage);
  }

  async configurationSaved(): Promise<void> {}

  async announceShutdown(): Promise<void> {
    this.#serving?.app.shutdownNotice.announce();
  }

  async close(): Promise<void> {
    await this.#serving?.app.close();
  }

  async flush(): Promise<void> {
    await this.#serving?.usage.close(this.#serving.services.log);
  }
}
