import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts a thread that runs a bundle of `dist`, such as `storage-thread`. */
export function startThread(bundle: string, options: WorkerOptions): Worker {
  // Seen from the bundle.
  return new Worker(new URL('../bin/thread.cjs', import.meta.url), { ...options, argv: [bundle] });
}
