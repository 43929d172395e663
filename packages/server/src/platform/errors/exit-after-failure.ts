import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { withTimeout } from '../with-timeout.ts';

/** Time to flush the last error responses before a forced exit. */
const FLUSH_RESPONSES_MS = 250;
const THREAD_EXIT_TIMEOUT_MS = 5000;

/** A failed storage thread cannot be restarted: exit, so that a supervisor restarts the process. */
export async function exitAfterFailure(
  log: Logger,
  err: Error,
  message: string,
  threadsEnded: Promise<unknown>,
): Promise<void> {
  log.fatal({ err }, message);
  process.exitCode = 1;
  // Exiting while a thread runs native code would abort the process, so wait for the threads too.
  await Promise.all([
    sleep(FLUSH_RESPONSES_MS),
    withTimeout(threadsEnded, THREAD_EXIT_TIMEOUT_MS, () => undefined),
  ]);
  process.exit(1);
}
