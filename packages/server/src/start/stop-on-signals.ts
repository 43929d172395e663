import type { Logger } from 'pino';

/** Longer than any request may take. */
const SHUTDOWN_TIMEOUT_MS = 30_000;

/** Lets a start finish first: exiting while a thread runs native code would abort the process. */
export function stopOnSignals(log: Logger, starting: Promise<() => Promise<void>>, delayMs: number): void {
  let stopping = false;
  const onSignal = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info(`received ${signal}; finishing open requests`);
    setTimeout(() => {
      log.error('shutdown timed out');
      process.exit(1);
    }, delayMs + SHUTDOWN_TIMEOUT_MS).unref();
    starting
      .then((stop) => stop())
      .then(
        () => process.exit(),
        (err) => {
          log.error({ err }, 'shutdown failed');
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
