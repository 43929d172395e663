import { setTimeout as sleep } from 'node:timers/promises';
import { type ErasureRequest, findErasure, requestErasure } from '../features/erasure/erasure-store.ts';
import type { DatabaseHandle } from '../storage/database.ts';
import { CliError } from './cli-error.ts';
import { type SubjectOptions, subjectOf } from './subject-options.ts';
import { databaseUrl, requireProperty, withExistingDatabase } from './with-database.ts';

/** Erases in this process; returns false if a running server holds the data directory and will do it instead. */
type RunErasuresOffline = (dataDir: string, handle: DatabaseHandle) => Promise<boolean>;

export interface ForgetOptions extends SubjectOptions {
  dataDir: string;
  json?: boolean;
  timeout: string;
}

const POLL_MS = 100;

export async function forget(options: ForgetOptions, runErasuresOffline: RunErasuresOffline): Promise<void> {
  const subject = subjectOf(options);
  const timeoutMs = Number(options.timeout) * 1000;
  if (!(timeoutMs > 0)) throw new CliError('--timeout must be a number of seconds.');
  const { rows, error } = await withExistingDatabase(options.dataDir, async (handle) => {
    await requireProperty(handle, options.property);
    const id = await requestErasure(handle.database, subject);
    const deadline = performance.now() + timeoutMs;
    // The events of several nodes are not in a data directory: a running node carries it out.
    if (databaseUrl() === undefined) await runErasuresOffline(options.dataDir, handle);
    return waitForOutcome(handle, id, deadline);
  });
  if (error !== null) {
    throw new CliError(`The erasure failed: ${error}. The request is kept; a running server will retry it.`);
  }
  if (options.json) console.log(JSON.stringify({ rows }));
  else
    console.log(
      rows === 0 ? 'Nothing was stored about them.' : `Erased ${rows} ${rows === 1 ? 'row' : 'rows'}.`,
    );
}

/** Waits until the request was carried out or an attempt failed. */
async function waitForOutcome(handle: DatabaseHandle, id: string, deadline: number): Promise<ErasureRequest> {
  for (;;) {
    const erasure = await findErasure(handle.database, id);
    if (erasure === undefined)
      throw new CliError('The request has disappeared: was the data directory replaced?');
    if (erasure.finishedAt !== null || erasure.error !== null) return erasure;
    if (performance.now() > deadline) {
      throw new CliError(
        'The server has not finished in time. It will carry out the request later; see its log.',
      );
    }
    await sleep(POLL_MS);
  }
}
