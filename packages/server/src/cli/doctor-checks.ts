import { constants, type Stats } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { DAY_MS } from '@switchyard/core/time';
import { type Check, firstLine } from './doctor-check.ts';
import { checkConfigurationDatabase, checkEventStore, checkJournal } from './doctor-storage.ts';

const MIB = 1024 * 1024;
/** No clock that is right shows less. */
const RELEASED = Date.UTC(2025, 0, 1);

/** Every check, in the order in which a person would ask. */
export async function checkInstallation(dataDir: string): Promise<Check[]> {
  const checks = [checkNode(process.versions.node), checkSqlite(), await checkDuckDb()];
  const found = await stat(dataDir).catch(() => undefined);
  checks.push(await checkDirectory(dataDir, found));
  if (found === undefined || checks.at(-1)?.status === 'fail') return checks;
  return [
    ...checks,
    checkPermissions(dataDir, found.mode),
    await checkDiskSpace(dataDir),
    await checkClock(dataDir, Date.now()),
    checkConfigurationDatabase(dataDir),
    checkJournal(dataDir),
    await checkEventStore(dataDir),
  ];
}

function checkNode(version: string): Check {
  const fits = compareVersions(version, '20.19.0') >= 0;
  return {
    name: 'Node.js',
    status: fits ? 'ok' : 'fail',
    detail: version,
    hint: 'Install Node.js 20.19 or newer.',
  };
}

function checkSqlite(): Check {
  const connection = new DatabaseSync(':memory:');
  const version = String(connection.prepare('select sqlite_version() as version').get().version);
  connection.close();
  // https://sqlite.org/wal.html: older ones can corrupt a write-ahead log.
  const safe = compareVersions(version, '3.51.3') >= 0;
  const hint = 'Run "npm ci": versions before 3.51.3 can damage a database.';
  return { name: 'SQLite', status: safe ? 'ok' : 'warn', detail: version, hint };
}

async function checkDuckDb(): Promise<Check> {
  try {
    const { version } = await import('@duckdb/node-api');
    return { name: 'DuckDB', status: 'ok', detail: version() };
  } catch (error) {
    const detail = `cannot be loaded: ${firstLine(error)}`;
    return { name: 'DuckDB', status: 'fail', detail, hint: 'Run "npm ci" on this machine.' };
  }
}

async function checkDirectory(dataDir: string, found: Stats | undefined): Promise<Check> {
  const name = 'Data directory';
  if (found === undefined) {
    const hint = 'The first start makes it; or name another with --data-dir.';
    return { name, status: 'warn', detail: `${dataDir} is not there yet`, hint };
  }
  if (!found.isDirectory()) {
    return {
      name,
      status: 'fail',
      detail: `${dataDir} is not a directory`,
      hint: 'Name another with --data-dir.',
    };
  }
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return { name, status: 'ok', detail: dataDir };
  } catch {
    const hint = `Let the user that runs the server own it: chown ${process.getuid?.() ?? ''} ${dataDir}`;
    return { name, status: 'fail', detail: `${dataDir} cannot be read and written`, hint };
  }
}

function checkPermissions(dataDir: string, mode: number): Check {
  const open = process.platform !== 'win32' && (mode & 0o077) !== 0;
  return {
    name: 'Permissions',
    status: open ? 'warn' : 'ok',
    detail: open
      ? `other users of this machine can look into it (${(mode & 0o777).toString(8)})`
      : 'only its owner',
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

/** A clock that went back shows as files from the future. */
async function checkClock(dataDir: string, now: number): Promise<Check> {
  const name = 'Clock';
  const hint = 'Set the clock of this machine (for example with NTP); events are stored under its time.';
  if (now < RELEASED)
    return { name, status: 'fail', detail: `${new Date(now).toISOString()} is long past`, hint };
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
