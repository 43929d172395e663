import { type LeaderJobServices, type LeaderJobs, startLeaderJobs } from './leader-jobs.ts';

/** The jobs of the leader on this node: they run while it leads. */
export class ElectedJobs {
  readonly #services: LeaderJobServices;
  #jobs: LeaderJobs | undefined;

  constructor(services: LeaderJobServices) {
    this.#services = services;
  }

  /** Only the leader knows. */
  get aaAlarms(): number {
    return this.#jobs?.aaAlarms() ?? 0;
  }

  readonly wakeWebhooks: LeaderJobs['wakeWebhooks'] = (webhook) => this.#jobs?.wakeWebhooks(webhook);

  /** Returns a function that stops the jobs and leaves them to another node. */
  start(): () => Promise<void> {
    return this.#services.handle.nodes.lead(() => {
      const jobs = startLeaderJobs(this.#services);
      this.#jobs = jobs;
      return () => {
        this.#jobs = undefined;
        return jobs.stop();
      };
    });
  }
}
