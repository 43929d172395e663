import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ALL_MIGRATIONS } from '../database/migrations/all-migrations.ts';
import type { PropertyConfiguration } from '../property/property-configuration.ts';

/** Increased when the file, not what it contains, changes its form. */
const FORMAT = 1;
/** Properties of another schema may lack what this version needs. */
const SCHEMA = ALL_MIGRATIONS.at(-1)!.name;

export interface SavedConfiguration {
  savedAt: number;
  properties: PropertyConfiguration[];
}

interface SnapshotFile extends SavedConfiguration {
  format: number;
  schema: string;
  /** Of the properties, see `checksumOf`. */
  sha256: string;
}

export function snapshotPath(dataDir: string): string {
  return join(dataDir, 'configuration-snapshot.json');
}

/**
 * Writes the configuration to a file, from which a node can start while the database cannot be reached. It contains
 * hashes of keys and secrets of webhooks. The file is replaced as a whole: a crash leaves the old one or the new one.
 */
export async function writeSnapshot(
  dataDir: string,
  properties: readonly PropertyConfiguration[],
): Promise<void> {
  const path = snapshotPath(dataDir);
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await writeProperties(file, properties);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

/** One property at a time, so that requests are served in between. */
async function writeProperties(
  file: FileHandle,
  properties: readonly PropertyConfiguration[],
): Promise<void> {
  const checksum = createHash('sha256');
  const head = { format: FORMAT, schema: SCHEMA, savedAt: Date.now() };
  await file.write(`${JSON.stringify(head).slice(0, -1)},"properties":[`);
  let separator = '\n';
  for (const property of properties) {
    const text = JSON.stringify(property);
    checksum.update(`${text}\n`);
    await file.write(separator + text);
    separator = ',\n';
  }
  await file.write(`\n],"sha256":"${checksum.digest('hex')}"}\n`);
}

/** Makes the rename durable. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** The configuration in the file; undefined if there is none that can be used. `warn` is told why. */
export function readSnapshot(
  dataDir: string,
  warn: (message: string) => void,
): SavedConfiguration | undefined {
  const path = snapshotPath(dataDir);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      warn(`cannot read ${path}: ${(error as Error).message}`);
    }
    return undefined;
  }
  const file = parse(text);
  if (file === undefined) warn(`${path} is damaged and was ignored`);
  else if (file.format !== FORMAT || file.schema !== SCHEMA) {
    warn(`${path} was written by another version of Switchyard and was ignored`);
  } else if (file.sha256 !== checksumOf(file.properties)) warn(`${path} is damaged and was ignored`);
  else return { savedAt: file.savedAt, properties: file.properties };
  return undefined;
}

function parse(text: string): SnapshotFile | undefined {
  try {
    const file = JSON.parse(text) as SnapshotFile | null;
    return Array.isArray(file?.properties) ? file : undefined;
  } catch {
    return undefined;
  }
}

function checksumOf(properties: readonly PropertyConfiguration[]): string {
  const checksum = createHash('sha256');
  for (const property of properties) checksum.update(`${JSON.stringify(property)}\n`);
  return checksum.digest('hex');
}
