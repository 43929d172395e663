import { existsSync } from 'node:fs';
import { join } from 'node:path';

// Apart from the restore itself, so that a start does not load what that needs.

/** Files are copied here first. While it exists, no server starts: some files may be in place, and others not. */
export const STAGING = 'restore.partial';

/** Throws if a restore was interrupted. */
export function assertRestored(dataDir: string): void {
  if (!existsSync(join(dataDir, STAGING))) return;
  throw new Error(
    `A restore into ${dataDir} was interrupted. Run "switchyard restore" again, with the same backup.`,
  );
}
