import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The file in which a rewrite is prepared; ignored until it is renamed. */
export function rewriteFileOf(file: string): string {
  return `${file}.rewrite`;
}

export async function discardRewrite(file: string): Promise<void> {
  await rm(rewriteFileOf(file), { force: true });
  await rm(`${rewriteFileOf(file)}.wal`, { force: true });
}

/** Removes files left by a crashed process. The caller holds the lock of the database. */
export async function removeLeftovers(file: string, tempDirectory: string): Promise<void> {
  await discardRewrite(file);
  const spilled = await readdir(tempDirectory).catch(() => []);
  for (const name of spilled) {
    if (name.startsWith('duckdb_temp_')) await rm(join(tempDirectory, name), { force: true });
  }
}

/** Replaces the old file with the rewritten one. Both must be closed; after a crash one of them exists. */
export async function swapInRewrite(file: string): Promise<void> {
  for (const wal of [`${file}.wal`, `${rewriteFileOf(file)}.wal`]) {
    // A leftover log would be replayed into the wrong file.
    if (await exists(wal)) throw new Error(`${wal} was not checkpointed`);
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
