import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** In the order in which `restore` puts them in place. */
export const BACKUP_FILES = [
  'journal.db',
  'marks.db',
  'config.db',
  'events.duckdb.wal',
  'events.duckdb',
] as const;
type BackupFile = (typeof BACKUP_FILES)[number];

const FORMAT = 1;
const FILE_NAME = 'manifest.json';

export interface BackupContents {
  properties: number;
  /** Events in the event store. */
  events: number;
  /** Acknowledged requests in the journal, which are loaded at the next start. */
  pendingRequests: number;
  /** Journal positions: of the event store, and of the last acknowledged request. */
  position: { store: number; journal: number };
}

export interface Manifest {
  format: number;
  /** Version of Switchyard that made the backup. */
  version: string;
  /** When the configuration was copied: what was done later, such as an erasure, is not in it. */
  createdAt: string;
  contents: BackupContents;
  files: Partial<Record<BackupFile, FileEntry>>;
}

interface FileEntry {
  bytes: number;
  sha256: string;
}

export const bytesOf = ({ files }: Manifest): number =>
  Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0);

/** Written last and renamed into place: a directory without it is not a backup. */
export async function writeManifest(
  directory: string,
  { version, createdAt, contents }: Pick<Manifest, 'version' | 'createdAt' | 'contents'>,
): Promise<Manifest> {
  const files: Manifest['files'] = {};
  for (const name of BACKUP_FILES) {
    const entry = await entryOf(join(directory, name));
    if (entry !== undefined) files[name] = entry;
  }
  const manifest = { format: FORMAT, version, createdAt, contents, files };
  const path = join(directory, FILE_NAME);
  const handle = await open(`${path}.partial`, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(manifest, undefined, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.partial`, path);
  await syncPath(directory);
  return manifest;
}

/** Reads the manifest; throws if there is none or if this version cannot read it. */
export async function readManifest(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, FILE_NAME), 'utf8').catch(() => undefined);
  if (text === undefined) {
    throw new Error(`${directory} has no ${FILE_NAME}: it is not a backup, or the backup was not completed.`);
  }
  const manifest = parse(text);
  if (manifest === undefined) throw new Error(`${join(directory, FILE_NAME)} is damaged.`);
  if (manifest.format > FORMAT) {
    throw new Error(
      `The backup was made by a newer version of Switchyard (${manifest.version}). Use that version.`,
    );
  }
  return manifest;
}

function parse(text: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(text) as Partial<Manifest>;
    const isComplete =
      typeof manifest.format === 'number' &&
      typeof manifest.version === 'string' &&
      typeof manifest.contents === 'object' &&
      manifest.files?.['config.db'] !== undefined &&
      manifest.files['journal.db'] !== undefined;
    return isComplete ? (manifest as Manifest) : undefined;
  } catch {
    return undefined;
  }
}

/** Compares the files in a directory with the manifest. */
export async function verifyChecksums(directory: string, { files }: Manifest): Promise<void> {
  for (const name of BACKUP_FILES) {
    const expected = files[name];
    const found = await entryOf(join(directory, name));
    if (expected === undefined && found === undefined) continue;
    if (expected === undefined) throw new Error(`${join(directory, name)} does not belong to the backup.`);
    if (found === undefined) throw new Error(`${join(directory, name)} is missing.`);
    if (found.bytes === expected.bytes && found.sha256 === expected.sha256) continue;
    throw new Error(`${join(directory, name)} is damaged: its checksum is not the one in ${FILE_NAME}.`);
  }
}

async function entryOf(path: string): Promise<FileEntry | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return { bytes: found.size, sha256: hash.digest('hex') };
}

/** Makes a file, or the names in a directory, durable. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
