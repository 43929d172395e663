// Child processes of a benchmark and their resource usage.
import { execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fetchConfig, fetchResponses, fetchResults, PROVISION } from './fixture.js';

export const THIS_CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
export const BIN = fileURLToPath(new URL('../../packages/server/bin/switchyard.js', import.meta.url));
const START_TIMEOUT_MS = 60_000;
const LOAD_TIMEOUT_MS = 30 * 60_000;
const FILL_TIMEOUT_MS = 30 * 60_000;
const FILL_STORE = fileURLToPath(new URL('./fill-store.js', import.meta.url));

/** The command line of a built checkout. */
export const binOf = (checkout) => join(checkout, 'packages/server/bin/switchyard.js');

/** Fills the event store of a data directory with the code of a built checkout, see `fill-store.js`. */
export function fillStore(checkout, dataDir, kind, ...counts) {
  const args = [FILL_STORE, checkout, join(dataDir, 'events.duckdb'), kind, ...counts.map(String)];
  return promisify(execFile)(process.execPath, args, { timeout: FILL_TIMEOUT_MS });
}

const children = new Set();
const directories = new Set();

/** Kills all remaining children and removes all directories; runs on every exit. */
function cleanUp() {
  for (const child of children) child.kill('SIGKILL');
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
}
process.on('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Kills the child when the benchmark exits. */
export function track(child) {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

export function temporaryDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  directories.add(directory);
  return directory;
}

export function removeDirectory(directory) {
  rmSync(directory, { recursive: true, force: true });
  directories.delete(directory);
}

function withTimeout(milliseconds, name, promise) {
  const timeout = sleep(milliseconds, undefined, { ref: false }).then(() => {
    throw new Error(`${name} took more than ${milliseconds} ms`);
  });
  return Promise.race([promise, timeout]);
}

/** The built server as users run it. */
export class Server {
  /** Starts on a data directory and resolves after the first response; `startMs` is how long that took. */
  static async start(dataDir, { bin = BIN, provision = PROVISION, env = {} } = {}) {
    const provisionFile = join(dataDir, 'provision.json');
    writeFileSync(provisionFile, JSON.stringify(provision));
    const startedAt = performance.now();
    const child = track(
      spawn(process.execPath, [bin, 'serve'], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          PATH: process.env.PATH,
          HOST: '127.0.0.1',
          PORT: '0',
          DATA_DIR: dataDir,
          PROVISION_FILE: provisionFile,
          LOG_LEVEL: 'warn',
          RATE_LIMIT_PER_SECOND: '0',
          ...env,
        },
      }),
    );
    const url = await withTimeout(
      START_TIMEOUT_MS,
      'the start',
      Promise.race([firstAddress(child), rejectOnExit(child)]),
    );
    await fetchConfig(url);
    return new Server(child, url, dataDir, performance.now() - startedAt);
  }

  constructor(child, url, dataDir, startMs) {
    this.child = child;
    this.url = url;
    this.port = Number(new URL(url).port);
    this.dataDir = dataDir;
    this.startMs = startMs;
  }

  async stop(signal = 'SIGTERM') {
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    const [code] = await withTimeout(START_TIMEOUT_MS, 'the stop', exited);
    if (signal === 'SIGTERM' && code !== 0) throw new Error(`the server exited with code ${code}`);
  }

  /** Waits until all acknowledged events are loaded and the process is idle; returns the loading time. */
  async settle() {
    const startedAt = performance.now();
    await fetchResults(this.url);
    const loadedMs = performance.now() - startedAt;
    const end = startedAt + 15_000;
    for (let busy = cpuSeconds(this.child.pid), idle = false; !idle && performance.now() < end; ) {
      await sleep(250);
      const now = cpuSeconds(this.child.pid);
      idle = now - busy < 0.03;
      busy = now;
    }
    return loadedMs;
  }

  memory() {
    return residentMemory(this.child.pid);
  }

  /** Open files and sockets. */
  descriptors() {
    return readdirSync(`/proc/${this.child.pid}/fd`).length;
  }
}

function firstAddress(child) {
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /https?:\/\/\S+/.exec(line);
      if (address !== null) resolve(address[0]);
      else console.error(line);
    });
  });
}

async function rejectOnExit(child) {
  const [code] = await once(child, 'exit');
  throw new Error(`the server exited with code ${code} before it was ready`);
}

/** Starts plain node:http with the responses of the given server. */
export async function startBareServer(url) {
  const child = track(fork(fileURLToPath(new URL('./bare-server.js', import.meta.url))));
  child.send(await fetchResponses(url));
  const [{ port }] = await withTimeout(START_TIMEOUT_MS, 'the bare server', once(child, 'message'));
  return { port, pid: child.pid, stop: () => child.disconnect() };
}

/** The load generator; one per benchmark, so that its code stays warm between rounds. */
export class Generator {
  #child = track(fork(fileURLToPath(new URL('./load-generator.js', import.meta.url))));
  #visit = 1;

  /** @param {{port: number, scripts: string[][], connections?: number, milliseconds?: number, visits?: number, perSecond?: number, localAddress?: string}} options */
  async run({ connections = 64, ...options }) {
    const response = once(this.#child, 'message');
    this.#child.send({ ...options, connections, firstVisit: this.#visit });
    const [result] = await withTimeout(LOAD_TIMEOUT_MS, 'the load', response);
    if (result.error !== undefined) throw new Error(`the load failed: ${result.error}`);
    this.#visit += result.visits + connections;
    return result;
  }

  stop() {
    this.#child.disconnect();
  }
}

/** Resident memory of a process in megabytes: now and peak. */
export function residentMemory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)[1]) / 1024;
  return { resident: field('VmRSS'), peak: field('VmHWM') };
}

/** CPU time used by a process, in seconds. */
export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** CPU time used by all processes of the machine, in seconds. */
export function machineSeconds() {
  const [user, nice, system, , , interrupts, softInterrupts] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + interrupts + softInterrupts) / 100;
}

export function diskMegabytes(directory) {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return (
    files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 2 ** 20
  );
}
