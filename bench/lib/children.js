// Child processes of a benchmark, each ended by its own id, and what the system tells about them.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { answersOf, askConfig, askResults, PROVISION } from './fixture.js';

export const BIN = fileURLToPath(new URL('../../packages/server/bin/switchyard.js', import.meta.url));
const START_WITHIN_MS = 60_000;
const ANSWER_WITHIN_MS = 30 * 60_000;

/** The command line of a built checkout; this one by default. */
export const binOf = (checkout) => join(checkout, 'packages/server/bin/switchyard.js');

const children = new Set();
const directories = new Set();

/** Ends every child that is left and removes every directory; runs whatever happened before. */
function cleanUp() {
  for (const child of children) child.kill('SIGKILL');
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
}
process.on('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Makes sure that a child does not outlive the benchmark. */
export function keep(child) {
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

function limited(milliseconds, what, promise) {
  const late = sleep(milliseconds, undefined, { ref: false }).then(() => {
    throw new Error(`${what} took more than ${milliseconds} ms`);
  });
  return Promise.race([promise, late]);
}

/** The built server as users run it. */
export class Server {
  /** Starts on a data directory and resolves once a request was answered; `startMs` is how long that took. */
  static async start(dataDir, { bin = BIN, provision = PROVISION, env = {} } = {}) {
    const provisionFile = join(dataDir, 'provision.json');
    writeFileSync(provisionFile, JSON.stringify(provision));
    const startedAt = performance.now();
    const child = keep(
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
    const url = await limited(
      START_WITHIN_MS,
      'the start',
      Promise.race([firstAddress(child), refuseExit(child)]),
    );
    await askConfig(url);
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
    const [code] = await limited(START_WITHIN_MS, 'the stop', exited);
    if (signal === 'SIGTERM' && code !== 0) throw new Error(`the server ended with ${code}`);
  }

  /** Waits until all that was acknowledged is loaded and the process idles; answers with the time it took. */
  async settle() {
    const startedAt = performance.now();
    await askResults(this.url);
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

  /** Resident megabytes now, and at most since the start. */
  memory() {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    const field = (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)[1]) / 1024;
    return { resident: field('VmRSS'), most: field('VmHWM') };
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
    });
  });
}

async function refuseExit(child) {
  const [code] = await once(child, 'exit');
  throw new Error(`the server ended with ${code} before it was ready`);
}

/** Node.js without us, answering the bytes that the given server answers. */
export async function startBareServer(url) {
  const child = keep(fork(fileURLToPath(new URL('./bare-server.js', import.meta.url))));
  child.send(await answersOf(url));
  const [{ port }] = await limited(START_WITHIN_MS, 'the bare server', once(child, 'message'));
  return { port, pid: child.pid, stop: () => child.disconnect() };
}

/** The load generator; one for a whole benchmark, so that its code is as warm in the first round as in the last. */
export class Generator {
  #child = keep(fork(fileURLToPath(new URL('./load-generator.js', import.meta.url))));
  #visit = 1;

  /** @param {{port: number, scripts: string[][], connections?: number, milliseconds?: number, visits?: number, localAddress?: string}} order */
  async run({ connections = 64, ...order }) {
    const answer = once(this.#child, 'message');
    this.#child.send({ ...order, connections, firstVisit: this.#visit });
    const [result] = await limited(ANSWER_WITHIN_MS, 'the load', answer);
    if (result.error !== undefined) throw new Error(`the load failed: ${result.error}`);
    this.#visit += result.visits + connections;
    return result;
  }

  stop() {
    this.#child.disconnect();
  }
}

/** Processor time a process has used, in seconds. */
export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Processor time that anybody on this machine has used, in seconds. */
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
