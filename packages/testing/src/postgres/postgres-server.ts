import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../network/free-port.ts';
import { findPostgres } from './postgres-binaries.ts';

/** Stops the server when its standard input ends, so that it never outlives the tests. */
const SUPERVISE =
  'exec 3<&0; "$@" 3<&- & server=$!; { read -r _ <&3; kill -INT $server; } 2>/dev/null & wait $server';
/** Or `read-only connections`. */
const READY = 'database system is ready to accept';

export interface PostgresServerOptions {
  /** As in postgresql.conf, like `fsync=off`. */
  settings?: readonly string[];
  /** Files next to the data directory, by name. PostgreSQL starts there, but looks for keys in the data directory. */
  files?: Readonly<Record<string, string>>;
}

/** A real PostgreSQL server with an empty data directory of its own. */
export class PostgresServer {
  /** Of the database `postgres`. */
  readonly url: string;
  readonly #bin: string;
  readonly #directory: string;
  readonly #password: string;
  readonly #settings: readonly string[];
  readonly #port: number;
  #process: ChildProcess | undefined;

  static async start({ settings = [], files = {} }: PostgresServerOptions = {}): Promise<PostgresServer> {
    const bin = findPostgres();
    if (bin === undefined) throw new Error('PostgreSQL not found');
    const directory = makeDirectory();
    const password = randomBytes(12).toString('hex');
    initialize(bin, directory, password);
    for (const [name, content] of Object.entries(files)) writeOwn(join(directory, name), content);
    const server = new PostgresServer(bin, directory, settings, password, await freePort());
    await server.start();
    return server;
  }

  private constructor(
    bin: string,
    directory: string,
    settings: readonly string[],
    password: string,
    port: number,
  ) {
    this.#bin = bin;
    this.#directory = directory;
    this.#settings = settings;
    this.#password = password;
    this.#port = port;
    this.url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  }

  /** Another server with the same data, while this one is stopped. It does not get what changes here later. */
  async copy(): Promise<PostgresServer> {
    const directory = makeDirectory();
    execFileSync('cp', ['-a', join(this.#directory, 'data'), directory]);
    return new PostgresServer(this.#bin, directory, this.#settings, this.#password, await freePort());
  }

  /** From the next start, it only answers reads, until it is promoted. */
  becomeStandby(): void {
    writeOwn(join(this.#directory, 'data', 'standby.signal'), '');
  }

  /** Starts it again after `stop`, with the same data and the same URL. */
  async start(): Promise<void> {
    const args = ['-D', join(this.#directory, 'data'), '-p', String(this.#port)];
    const network = ['-h', '127.0.0.1', '-k', this.#directory];
    const settings = ['max_connections=200', ...this.#settings].flatMap((setting) => ['-c', setting]);
    const server = spawn(
      '/bin/sh',
      ['-c', SUPERVISE, 'sh', join(this.#bin, 'postgres'), ...args, ...network, ...settings],
      { ...asUser(), cwd: this.#directory, env: environment(), stdio: ['pipe', 'ignore', 'pipe'] },
    );
    this.#process = server;
    await untilReady(server);
  }

  /** Open transactions are rolled back, and clients are disconnected. */
  async stop(): Promise<void> {
    const server = this.#process;
    if (server === undefined) return;
    this.#process = undefined;
    const exited = server.exitCode === null ? once(server, 'exit') : undefined;
    server.stdin?.end();
    await exited;
  }

  /** As if the machine lost power: nothing is written anymore, and clients are disconnected. */
  async kill(): Promise<void> {
    const [pid] = readFileSync(join(this.#directory, 'data', 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGQUIT');
    await this.stop();
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-postgres-'));
  own(directory);
  return directory;
}

function writeOwn(path: string, content: string): void {
  writeFileSync(path, content, { mode: 0o600 });
  own(path);
}

/** Makes it belong to the user that runs PostgreSQL. */
function own(path: string): void {
  const user = asUser();
  if (user.uid !== undefined) chownSync(path, user.uid, user.gid);
}

function initialize(bin: string, directory: string, password: string): void {
  const passwordFile = join(directory, 'password');
  writeOwn(passwordFile, password);
  const user = asUser();
  const args = ['-D', join(directory, 'data'), '-U', 'postgres', '-E', 'UTF8', '--locale', 'C'];
  execFileSync(join(bin, 'initdb'), [...args, '-A', 'scram-sha-256', '--pwfile', passwordFile, '--no-sync'], {
    ...user,
    cwd: directory,
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Messages in English, whatever the language of the machine. */
const environment = () => ({ ...process.env, LC_ALL: 'C' });

/** PostgreSQL refuses to run as root. */
function asUser(): { uid: number; gid: number } | { uid?: undefined } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const found = users.find(([name]) => name === wanted);
    if (found !== undefined) return { uid: Number(found[2]), gid: Number(found[3]) };
  }
  throw new Error('PostgreSQL cannot run as root, and there is no user postgres or nobody.');
}

function untilReady(server: ChildProcess): Promise<void> {
  const lines = createInterface({ input: server.stderr! });
  const seen: string[] = [];
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      seen.push(line);
      if (seen.length > 20) seen.shift();
      if (line.includes(READY)) resolve();
    });
    server.on('error', reject);
    server.on('exit', () => reject(new Error(`PostgreSQL did not start:\n${seen.join('\n')}`)));
  });
}
