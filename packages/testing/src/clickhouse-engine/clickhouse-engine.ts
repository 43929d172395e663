import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installEngine } from './install-engine.ts';

export interface ClickHouseEngine {
  url: string;
  /** Stops its threads until `resume`. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

const SERVER = new URL('./engine-server.cjs', import.meta.url);

/** Starts the ClickHouse engine behind an HTTP server, installing it first if needed. */
export async function startClickHouse(): Promise<ClickHouseEngine> {
  const { directory, command } = installEngine();
  const data = await mkdtemp(join(tmpdir(), 'switchyard-clickhouse-'));
  // Next to the packages that it loads.
  const script = join(directory, `engine-server-${process.pid}.cjs`);
  await copyFile(SERVER, script);
  const [program, ...args] = command;
  const engine = spawn(program, [...args, script, data], { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(engine, 'exit');
  const started = once(createInterface(engine.stdout), 'line');
  const [line] = await Promise.race([started, exited.then(([code]) => Promise.reject(startError(code)))]);
  return {
    url: `http://127.0.0.1:${line}`,
    pause: () => engine.kill('SIGSTOP'),
    resume: () => engine.kill('SIGCONT'),
    async stop() {
      engine.kill('SIGCONT');
      engine.stdin.end();
      await exited;
      await rm(data, { recursive: true });
      await rm(script);
    },
  };
}

const startError = (code: unknown) =>
  new Error(`The ClickHouse engine ended at its start with code ${code}.`);
