import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Threads that every server has. */
const LASTING = {
  // Batches are short-lived garbage: a larger young generation would only waste memory.
  'storage-thread': { name: 'storage', resourceLimits: { maxYoungGenerationSizeMb: 16 } },
  // The same holds for rows.
  'sqlite-thread': { name: 'sqlite', resourceLimits: { maxYoungGenerationSizeMb: 4 } },
};

type LastingThread = keyof typeof LASTING;

const startedEarly = new Map<LastingThread, Worker>();

/** Starts a thread that runs a bundle of `dist`, such as `report-thread`. */
export function startThread(bundle: string, options: WorkerOptions): Worker {
  // Seen from the bundle.
  return new Worker(new URL('../bin/thread.cjs', import.meta.url), { ...options, argv: [bundle] });
}

/** Starts a thread, which loads its code, before the code that uses it is loaded. */
export function startEarly(thread: LastingThread): void {
  startedEarly.set(thread, startThread(thread, LASTING[thread]));
}

/** The thread that was started early, or a new one. */
export function lastingThread(thread: LastingThread): Worker {
  const early = startedEarly.get(thread);
  startedEarly.delete(thread);
  return early ?? startThread(thread, LASTING[thread]);
}
