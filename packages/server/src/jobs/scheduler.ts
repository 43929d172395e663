import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isDatabaseUnavailable } from '../platform/errors/storage-error.ts';

export interface Job {
  name: string;
  everyMs: number;
  run: () => Promise<unknown>;
}

/** Runs each job immediately and then at its interval, never concurrently with itself; returns a function that stops all jobs. */
export function startJobs(jobs: readonly Job[], log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  // Every waiting job listens; the default limit is for leaks.
  setMaxListeners(jobs.length, stopping.signal);
  const running = jobs.map((job) => repeat(job, log, stopping.signal));
  return async () => {
    stopping.abort();
    await Promise.all(running);
  };
}

async function repeat({ name, everyMs, run }: Job, log: Logger, signal: AbortSignal): Promise<void> {
  let logged: string | undefined;
  while (!signal.aborted) {
    try {
      await run();
      logged = undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // An outage of the database is logged once, not by every job; a job that fails every second logs it once too.
      if (!signal.aborted && !isDatabaseUnavailable(error) && message !== logged) {
        log.error({ err: error }, `${name} failed; retrying`);
        logged = message;
      }
    }
    // Rejects when the jobs are stopped, which ends the loop.
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
