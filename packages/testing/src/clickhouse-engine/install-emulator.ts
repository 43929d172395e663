import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apt, aptIn, canUseApt } from '../programs/apt.ts';
import { TEST_CACHE } from '../programs/test-cache.ts';

export interface Emulator {
  program: string;
  /** Directory with the x64 C library. */
  libraries: string;
}

const LIBRARIES = '/usr/x86_64-linux-gnu';
/** Before this version the size of the translation cache cannot be set. */
const MIN_VERSION = 9;

export const canInstallEmulator = () => findEmulator() !== undefined || canUseApt();

/** Installs an emulator of x64 from Debian's packages, unless there is one. */
export function installEmulator(): Emulator {
  const found = findEmulator();
  if (found !== undefined) return found;
  console.log('Installing an emulator for the ClickHouse engine (qemu-user) …');
  apt('update');
  apt('install', '--yes', '--no-install-recommends', 'libc6-amd64-cross', 'libstdc++6-amd64-cross');
  if (findEmulator() === undefined) installQemu();
  const installed = findEmulator();
  if (installed === undefined) throw new Error('Cannot install qemu-user, version 9 or later.');
  return installed;
}

const EXTRACTED = join(TEST_CACHE, 'qemu-user');

function findEmulator(): Emulator | undefined {
  if (!existsSync(join(LIBRARIES, 'lib/libc.so.6'))) return undefined;
  const program = ['/usr/bin/qemu-x86_64', join(EXTRACTED, 'usr/bin/qemu-x86_64')].find(isRecent);
  return program === undefined ? undefined : { program, libraries: LIBRARIES };
}

function isRecent(program: string): boolean {
  if (!existsSync(program)) return false;
  const version = /version (\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1];
  return Number(version) >= MIN_VERSION;
}

/** From the distribution, or from its backports: extracted into the cache, so that the machine's packages stay the same. */
function installQemu(): void {
  const candidate = /Candidate: (?:\d+:)?(\d+)/.exec(aptCache('policy', 'qemu-user'))?.[1];
  if (Number(candidate) >= MIN_VERSION) {
    apt('install', '--yes', '--no-install-recommends', 'qemu-user');
    return;
  }
  const options = backportOptions();
  apt(...options, 'update');
  aptIn(EXTRACTED, ...options, 'download', 'qemu-user');
  const file = readdirSync(EXTRACTED).find((name) => name.endsWith('.deb')) as string;
  execFileSync('dpkg', ['-x', join(EXTRACTED, file), EXTRACTED]);
}

/** Options with which apt-get only knows the backports of this distribution, and keeps its lists in the cache. */
function backportOptions(): string[] {
  const targets = execFileSync('apt-get', ['indextargets', '--format', '$(REPO_URI) $(CODENAME)'], {
    encoding: 'utf8',
  });
  const [uri, codename] = (targets.split('\n').find((line) => /\/debian\/ [a-z]+$/.test(line)) ?? '').split(
    ' ',
  );
  if (codename === undefined) throw new Error('Cannot find the mirror of Debian in the sources of apt-get.');
  const lists = join(EXTRACTED, 'lists');
  mkdirSync(join(lists, 'partial'), { recursive: true });
  const sources = join(EXTRACTED, 'backports.list');
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(sources, `deb [signed-by=${keyring}] ${uri} ${codename}-backports main\n`);
  return [
    '-o',
    `Dir::Etc::SourceList=${sources}`,
    '-o',
    'Dir::Etc::SourceParts=/dev/null',
    '-o',
    `Dir::State::Lists=${lists}`,
    '-o',
    'APT::Sandbox::User=root',
  ];
}

const aptCache = (...args: string[]) => execFileSync('apt-cache', args, { encoding: 'utf8' });
