import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs once before all tests: their temporary files are in one directory, which is removed after them. */
export function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-tests-'));
  // Like /tmp: some programs of the tests change to another user.
  chmodSync(directory, 0o1777);
  process.env.TMPDIR = directory;
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
