import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreLock } from '../../events/duckdb/connection/store-lock.ts';
import { makeDataDirectory } from '../../platform/files/data-directory.ts';
import { assertSpace, copyPrivately, syncFiles } from './copy-files.ts';
import { STAGING } from './interrupted-restore.ts';
import { BACKUP_FILES, type Manifest, syncPath, verifyChecksums } from './manifest.ts';

/** Puts a verified backup into a data directory that has no data. */
export async function restoreBackup(directory: string, dataDir: string, manifest: Manifest): Promise<void> {
  makeDataDirectory(dataDir);
  const lock = StoreLock.take(join(dataDir, 'events.duckdb'));
  try {
    const staging = join(dataDir, STAGING);
    // The data of an interrupted restore can be replaced: no server has used it.
    if (!existsSync(staging)) assertNoData(dataDir);
    await removeData(dataDir);
    await assertSpace(directory, dataDir);
    await mkdir(staging, { mode: 0o700 });
    await syncPath(dataDir);
    await fill(directory, staging, manifest);
    for (const name of BACKUP_FILES) {
      if (manifest.files[name] !== undefined) await rename(join(staging, name), join(dataDir, name));
    }
    await giveToOwner(dataDir);
    await syncPath(dataDir);
    await rm(staging, { recursive: true });
    await syncPath(dataDir);
  } finally {
    lock.release();
  }
}

async function fill(directory: string, staging: string, manifest: Manifest): Promise<void> {
  try {
    for (const name of BACKUP_FILES) {
      if (manifest.files[name] !== undefined) await copyPrivately(join(directory, name), join(staging, name));
    }
    await syncFiles(staging);
    await verifyChecksums(staging, manifest);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
}

const isData = (name: string) =>
  /^(config\.db|journal\.db|marks\.db|events\.duckdb)/.test(name) &&
  !/^events\.duckdb\.(lock|tmp)$/.test(name);

function assertNoData(dataDir: string): void {
  const found = readdirSync(dataDir).find(isData);
  if (found === undefined) return;
  throw new Error(
    `${dataDir} has data already (${found}). Restore into an empty directory, or move it away.`,
  );
}

async function removeData(dataDir: string): Promise<void> {
  await rm(join(dataDir, STAGING), { recursive: true, force: true });
  for (const name of readdirSync(dataDir).filter(isData)) await rm(join(dataDir, name));
}

/** After a restore by root, the server must be able to open the files. */
async function giveToOwner(dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dataDir);
  for (const name of readdirSync(dataDir).filter((each) => isData(each) || each === 'events.duckdb.lock')) {
    await chown(join(dataDir, name), uid, gid);
  }
}
