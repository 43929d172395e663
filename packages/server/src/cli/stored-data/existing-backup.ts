import { inspectBackup } from '../../operations/backup/inspect-backup.ts';
import { bytesOf, type Manifest, readManifest, verifyChecksums } from '../../operations/backup/manifest.ts';
import { CliError } from '../output/cli-error.ts';
import { databaseUrl } from './with-database.ts';

const MIB = 1024 * 1024;

/** What several nodes have in common is not in a data directory. */
export function rejectNodes(): void {
  if (databaseUrl() === undefined) return;
  throw new CliError(
    'DATABASE_URL is set, so the configuration is in PostgreSQL and the events are in ClickHouse. Use their own ' +
      'tools: pg_dump and pg_restore for PostgreSQL, BACKUP and RESTORE for ClickHouse.',
  );
}

/** The manifest of a backup whose files are intact and belong together. */
export async function verifiedManifest(directory: string): Promise<Manifest> {
  const manifest = await readManifest(directory);
  await verifyChecksums(directory, manifest);
  await inspectBackup(directory);
  return manifest;
}

export function describeBackup(manifest: Manifest): string {
  const { properties, events, pendingRequests } = manifest.contents;
  const count = (number: number) => number.toLocaleString('en-US');
  const pending =
    pendingRequests === 0 ? '' : `, and ${count(pendingRequests)} requests that the next start loads`;
  return [
    `Made: ${manifest.createdAt}, by version ${manifest.version}`,
    `Properties: ${count(properties)}`,
    `Events: ${count(events)}${pending}`,
    `Size: ${(bytesOf(manifest) / MIB).toFixed(1)} MiB`,
  ].join('\n');
}
