import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ApiContract } from './api-contract.ts';
import { keepProblem } from './server-problems.ts';

export const BIN = fileURLToPath(new URL('../../../server/bin/switchyard.js', import.meta.url));
const BUILD = fileURLToPath(new URL('../../../server/dist/switchyard.cjs', import.meta.url));

export interface StartOptions {
  /** Content of the provision file; default: no provision file. */
  provision?: object;
  env?: Record<string, string>;
  /** An existing directory, e.g. for a restart; default: a new one. */
  dataDir?: string;
  /** Changes the command, e.g. to run it in a shell that sets limits. */
  wrap?: (command: string[]) => string[];
}

export interface CallOptions {
  key?: string | undefined;
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  rawBody?: string | Uint8Array;
  headers?: Record<string, string>;
}

export interface TestResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests access responses freely; their shape is checked against the OpenAPI document
  body: any;
  text: string;
}

const contracts = new Map<string, Promise<ApiContract>>();

/** The built server as a child process, accessed over HTTP. */
export class TestServer {
  readonly url: string;
  readonly dataDir: string;
  readonly process: ChildProcess;
  readonly stdout: string[];
  readonly stderr: string[];
  /** Its exit code, once all its output has arrived too. */
  readonly exited: Promise<number | null>;
  readonly #hasOidc: boolean;

  constructor(
    url: string,
    dataDir: string,
    env: Record<string, string>,
    child: ChildProcess,
    stdout: string[],
    stderr: string[],
  ) {
    this.url = url;
    this.#hasOidc = env.OIDC_ISSUER !== undefined;
    this.dataDir = dataDir;
    this.process = child;
    this.stdout = stdout;
    this.stderr = stderr;
    this.exited =
      child.exitCode !== null ? Promise.resolve(child.exitCode) : once(child, 'close').then(([code]) => code);
  }

  /** Sends a request and checks the response against the OpenAPI document. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<TestResponse> {
    const response = await this.send(method, path, options);
    (await this.#contract()).check(method, path, response);
    return response;
  }

  /** The document, which is slow to generate and to compile, only depends on the build and on OpenID Connect. */
  #contract(): Promise<ApiContract> {
    const key = `${statSync(BUILD).mtimeMs} ${this.#hasOidc}`;
    const known = contracts.get(key);
    if (known !== undefined) return known;
    const contract = ApiContract.load(this.url);
    contracts.set(key, contract);
    contract.catch(() => contracts.delete(key));
    return contract;
  }

  /** Sends a request without checking the response. */
  async send(
    method: string,
    path: string,
    { key, body, rawBody, headers }: CallOptions = {},
  ): Promise<TestResponse> {
    const hasBody = body !== undefined || rawBody !== undefined;
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(hasBody ? { body: (rawBody as string | undefined) ?? JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
      text,
    };
  }

  /** Everything it has logged, as JSON lines. */
  get log(): string {
    return this.stdout.join('\n');
  }

  /** Stops the server with a signal; resolves with its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill(signal);
    return this.exited;
  }
}

export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'switchyard-test-'));
}

/** Starts a server; resolves once it accepts requests. */
export async function startServer(options: StartOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? temporaryDirectory();
  const { child, stdout, stderr } = spawnServer(dataDir, options);
  // Not `exit`, which can come before the last lines of its output.
  const exited = once(child, 'close');
  const url = await Promise.race([
    firstUrl(child, stdout),
    exited.then(([code]) => {
      throw new Error(
        `the server exited with ${code} before it was ready:\n${[...stdout, ...stderr].join('\n')}`,
      );
    }),
  ]);
  return new TestServer(url, dataDir, options.env ?? {}, child, stdout, stderr);
}

function spawnServer(dataDir: string, options: StartOptions) {
  const provisionFile = join(dataDir, 'provision.json');
  if (options.provision !== undefined) writeFileSync(provisionFile, JSON.stringify(options.provision));
  const command = [process.execPath, BIN, 'serve'];
  const [file, ...args] = options.wrap?.(command) ?? command;
  const child = spawn(file!, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      RATE_LIMIT_PER_SECOND: '0',
      ...(options.provision === undefined ? {} : { PROVISION_FILE: provisionFile }),
      ...options.env,
    },
  });
  const stdout: string[] = [];
  const stderr: string[] = [];
  createInterface({ input: child.stderr! }).on('line', (line) => {
    stderr.push(line);
    keepProblem(child.pid, 'stderr', line);
  });
  return { child, stdout, stderr };
}

function firstUrl(child: ChildProcess, stdout: string[]): Promise<string> {
  return new Promise((resolve) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      stdout.push(line);
      keepProblem(child.pid, 'stdout', line);
      const url = /https?:\/\/\S+/.exec(line);
      if (url !== null) resolve(url[0]);
    });
  });
}

/** Kills the server and removes its data. */
export async function discard(server: TestServer | undefined): Promise<void> {
  if (server === undefined) return;
  await server.stop('SIGKILL');
  rmSync(server.dataDir, { recursive: true, force: true });
}
