import { constants, existsSync, type Stats } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { DAY_MS } from '@switchyard/core/time';
import { databasePath } from '../../configuration/database/open-database.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { currentUser, isDenied } from '../../platform/files/file-exists.ts';
import { checkAccess } from './doctor-access.ts';
import { type Check, firstLine } from './doctor-check.ts';
import { checkHistory } from './doctor-history.ts';
import { checkConfigurationDatabase, checkEvents } from './doctor-storage.ts';

const MIB = 1024 * 1024;
/** A correct clock never shows an earlier time. */
const RELEASED = Date.UTC(2025, 0, 1);

const MACHINE = ['Data directory', 'Permissions', 'Disk space', 'Clock'];
const CONFIGURATION = ['Configuration', 'History', 'Access'];
/** The names of all checks, of which some can only be made after others have passed. */
const EMBEDDED_CHECKS = [...MACHINE, ...CONFIGURATION, 'Journal', 'Idempotency keys', 'Event store'];
const NODE_CHECKS = [...CONFIGURATION, ...MACHINE];

/**
 * All checks, from the runtime to the stored data.
 *
 * @param databaseUrl of a node
 */
export async function checkInstallation(
  model: ConfigurationModel,
  dataDir: string,
  databaseUrl: string | undefined,
): Promise<Check[]> {
  return databaseUrl === undefined
    ? withUnchecked(await checkEmbedded(model, dataDir), EMBEDDED_CHECKS)
    : withUnchecked(await checkNode(model, dataDir, databaseUrl), NODE_CHECKS);
}

function withUnchecked(checks: readonly Check[], names: readonly string[]): Check[] {
  const missing = names.filter((name) => !checks.some((check) => check.name === name));
  if (missing.length === 0) return [...checks];
  const detail = `${missing.join(', ')}: only possible when nothing above stands in the way`;
  return [...checks, { name: 'Not checked', status: 'ok', detail }];
}

/** Of a node, whose events are in ClickHouse. */
async function checkNode(model: ConfigurationModel, dataDir: string, url: string): Promise<Check[]> {
  const { checkPostgres } = await import('./doctor-postgres.ts');
  const checks = [checkRuntime(process.versions.node), checkSqlite(), ...(await checkPostgres(model, url))];
  const found = await stat(dataDir).catch(absentOrDenied);
  checks.push(await checkDirectory(dataDir, found));
  if (typeof found !== 'object' || checks.at(-1)?.status === 'fail') return checks;
  return [...checks, ...(await checkMachine(dataDir, found))];
}

const checkMachine = async (dataDir: string, { mode }: Stats): Promise<Check[]> => [
  checkPermissions(dataDir, mode),
  await checkDiskSpace(dataDir),
  await checkClock(dataDir, Date.now()),
];

async function checkEmbedded(model: ConfigurationModel, dataDir: string): Promise<Check[]> {
  const checks = [checkRuntime(process.versions.node), checkSqlite(), await checkDuckDb()];
  const found = await stat(dataDir).catch(absentOrDenied);
  checks.push(await checkDirectory(dataDir, found));
  if (typeof found !== 'object' || checks.at(-1)?.status === 'fail') return checks;
  return [
    ...checks,
    ...(await checkMachine(dataDir, found)),
    ...(await checkConfiguration(model, dataDir)),
    ...(await checkEvents(dataDir)),
  ];
}

/** The history is only readable in an intact database of this version. */
async function checkConfiguration(model: ConfigurationModel, dataDir: string): Promise<Check[]> {
  const check = checkConfigurationDatabase(dataDir);
  if (check.status !== 'ok' || !existsSync(databasePath(dataDir))) return [check];
  const source = { path: databasePath(dataDir) };
  return [check, ...(await checkHistory(model, source)), ...(await checkAccess(source))];
}

function checkRuntime(version: string): Check {
  const supported = compareVersions(version, '20.19.0') >= 0;
  return {
    name: 'Node.js',
    status: supported ? 'ok' : 'fail',
    detail: version,
    hint: 'Install Node.js 24, or at least 20.19.',
  };
}

function checkSqlite(): Check {
  const connection = new DatabaseSync(':memory:');
  const version = String(connection.prepare('select sqlite_version() as version').get().version);
  connection.close();
  // https://sqlite.org/wal.html: older versions can corrupt a write-ahead log.
  const safe = compareVersions(version, '3.51.3') >= 0;
  const hint = 'Install Switchyard again, with its packages: versions before 3.51.3 can corrupt a database.';
  return { name: 'SQLite', status: safe ? 'ok' : 'warn', detail: version, hint };
}

async function checkDuckDb(): Promise<Check> {
  try {
    const { version } = await import('@duckdb/node-api');
    return { name: 'DuckDB', status: 'ok', detail: version() };
  } catch (error) {
    const detail = `cannot be loaded: ${firstLine(error)}`;
    return {
      name: 'DuckDB',
      status: 'fail',
      detail,
      hint: 'Install Switchyard again, with its packages, on this machine.',
    };
  }
}

const absentOrDenied = (error: unknown) => (isDenied(error) ? 'denied' : undefined);

async function checkDirectory(dataDir: string, found: Stats | 'denied' | undefined): Promise<Check> {
  const name = 'Data directory';
  const denied = {
    name,
    status: 'fail',
    detail: `permission denied: ${currentUser()} may not read and write ${dataDir}`,
    hint: `Run the doctor as the user of the server, or make that user the owner: chown USER ${dataDir}`,
  } as const;
  if (found === 'denied') return denied;
  if (found === undefined) {
    const hint = 'It is created on the first start. Use --data-dir for another directory.';
    return { name, status: 'warn', detail: `${dataDir} does not exist yet`, hint };
  }
  if (!found.isDirectory()) {
    return {
      name,
      status: 'fail',
      detail: `${dataDir} is not a directory`,
      hint: 'Use --data-dir for another directory.',
    };
  }
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return { name, status: 'ok', detail: dataDir };
  } catch {
    return denied;
  }
}

function checkPermissions(dataDir: string, mode: number): Check {
  const open = process.platform !== 'win32' && (mode & 0o077) !== 0;
  return {
    name: 'Permissions',
    status: open ? 'warn' : 'ok',
    detail: open
      ? `other users of this machine can read it (${(mode & 0o777).toString(8)})`
      : 'only the owner has access',
    hint: `chmod 700 ${dataDir}`,
  };
}

async function checkDiskSpace(dataDir: string): Promise<Check> {
  const { bavail, bsize } = await statfs(dataDir);
  const free = (bavail * bsize) / MIB;
  return {
    name: 'Disk space',
    status: free < 100 ? 'fail' : free < 1024 ? 'warn' : 'ok',
    detail: free < 10_240 ? `${Math.floor(free)} MiB free` : `${Math.floor(free / 1024)} GiB free`,
    hint: 'Free some space, move the data directory, or set retentionDays for your properties.',
  };
}

/** Files from the future mean that the clock was set back. */
async function checkClock(dataDir: string, now: number): Promise<Check> {
  const name = 'Clock';
  const hint = 'Set the clock of this machine, for example with NTP. Events get their times from it.';
  if (now < RELEASED)
    return { name, status: 'fail', detail: `${new Date(now).toISOString()} is too early`, hint };
  const files = await readdir(dataDir);
  const times = await Promise.all(files.map((file) => stat(join(dataDir, file)).catch(() => undefined)));
  const newest = Math.max(0, ...times.map((found) => found?.mtimeMs ?? 0));
  if (newest > now + DAY_MS) {
    return {
      name,
      status: 'fail',
      detail: `data was written in the future (${new Date(newest).toISOString()})`,
      hint,
    };
  }
  return { name, status: 'ok', detail: new Date(now).toISOString() };
}

function compareVersions(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true });
}
