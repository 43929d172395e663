import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../network/free-port.ts';
import { waitFor } from '../time/wait.ts';

export function findPgbouncer(): string | undefined {
  return ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find((path) =>
    existsSync(path),
  );
}

/** A real PgBouncer in front of a PostgreSQL server. */
export class Pgbouncer {
  readonly #directory: string;
  readonly #process: ChildProcess;
  readonly #port: number;

  /** @param url of a database on the server; others can be used too */
  static async start(url: string, poolMode: 'session' | 'transaction'): Promise<Pgbouncer> {
    const executable = findPgbouncer();
    if (executable === undefined) throw new Error('PgBouncer not found');
    const directory = mkdtempSync(join(tmpdir(), 'switchyard-pgbouncer-'));
    const port = await freePort();
    const { hostname, port: serverPort, username, password } = new URL(url);
    writeFileSync(join(directory, 'users.txt'), `"${username}" "${password}"\n`);
    const settings = [
      '[databases]',
      `* = host=${hostname} port=${serverPort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${join(directory, 'users.txt')}`,
      `pool_mode = ${poolMode}`,
    ];
    const file = join(directory, 'pgbouncer.ini');
    writeFileSync(file, `${settings.join('\n')}\n`);
    // It refuses to run as root.
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    chmodSync(directory, 0o755);
    const child = spawn(executable, [...user, file], { stdio: 'ignore' });
    const pgbouncer = new Pgbouncer(directory, child, port);
    await waitFor('PgBouncer', () => child.exitCode === null && canConnect(port));
    return pgbouncer;
  }

  private constructor(directory: string, child: ChildProcess, port: number) {
    this.#directory = directory;
    this.#process = child;
    this.#port = port;
  }

  /** The same database, through PgBouncer. */
  urlOf(url: string): string {
    const through = new URL(url);
    through.host = `127.0.0.1:${this.#port}`;
    return through.href;
  }

  async stop(): Promise<void> {
    const exited = this.#process.exitCode === null ? once(this.#process, 'exit') : undefined;
    this.#process.kill('SIGKILL');
    await exited;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isConnected;
}
