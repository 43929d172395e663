import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Where a rewrite is prepared. Until it is renamed it counts for nothing. */
export function rewriteFileOf(file: string): string {
  return `${file}.rewrite`;
}

export async function discardRewrite(file: string): Promise<void> {
  await rm(rewriteFileOf(file), { force: true });
  await rm(`${rewriteFileOf(file)}.wal`, { force: true });
}

/** Removes what a process that died has left. The caller holds the lock of the database. */
export async function removeLeftovers(file: string, tempDirectory: string): Promise<void> {
  await discardRewrite(file);
  const spilled = await readdir(tempDirectory).catch(() => []);
  for (const name of spilled) {
    if (name.startsWith('duckdb_temp_')) await rm(join(tempDirectory, name), { force: true });
  }
}

/** Puts the rewritten file in the place of the old one. Both are closed; after a crash one of them is there. */
export async function swapInRewrite(file: string): Promise<void> {
  for (const wal of [`${file}.wal`, `${rewriteFileOf(file)}.wal`]) {
    // A log beside the wrong file would be replayed into it.
    if (await exists(wal)) throw new Error(`${wal} was not written into its database`);
  }
  await rename(rewriteFileOf(file), file);
  const directory = await open(dirname(file), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
