import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@switchyard/testing/server/test-server';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = fileURLToPath(new URL('../../bench/lib/fill-store.js', import.meta.url));

/**
 * A data directory with events that would take long to send, or that the API no longer accepts.
 * `longSession`: one session, `long`, with `count` events of `bytes` of properties each.
 * `oldDays`: exposures of the 30 variations `v0` to `v29` of the test `long-ago` on the last `count` days.
 */
export async function filledDirectory(
  kind: 'longSession' | 'oldDays',
  count: number,
  bytes = 0,
): Promise<string> {
  const dataDir = temporaryDirectory();
  const file = join(dataDir, 'events.duckdb');
  await promisify(execFile)(process.execPath, [SCRIPT, CHECKOUT, file, kind, `${count}`, `${bytes}`]);
  return dataDir;
}
