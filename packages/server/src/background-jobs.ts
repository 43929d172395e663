import type { Logger } from 'pino';

export interface Job {
  name: string;
  everyMs: number;
  run: () => Promise<unknown>;
}

/** Runs each job at once and then at its interval, never twice at the same time; returns how to stop them. */
export function startJobs(jobs: readonly Job[], log: Logger): () => Promise<void> {
  let stopped = false;
  const running = jobs.map(async ({ name, everyMs, run }) => {
    while (!stopped) {
      try {
        await run();
      } catch (error) {
        if (!stopped) log.error({ err: error }, `${name} failed; it is tried again`);
      }
      await stoppableSleep(everyMs, () => stopped);
    }
  });
  return async () => {
    stopped = true;
    await Promise.all(running);
  };
}

const STEP_MS = 100;

async function stoppableSleep(ms: number, isStopped: () => boolean): Promise<void> {
  const end = Date.now() + ms;
  while (!isStopped() && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(STEP_MS, end - Date.now())));
  }
}
