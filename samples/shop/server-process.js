import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../packages/server/bin/switchyard.js', import.meta.url));

/** The built server as a child process. */
export class ServerProcess {
  #child;
  /** Resolves with the exit code. */
  exited;
  url;

  /** Starts the server; resolves once it accepts requests. */
  static async start(dataDir, { port = 0, env = {}, nodeOptions = [], signal } = {}) {
    signal?.throwIfAborted();
    const server = new ServerProcess(dataDir, port, env, nodeOptions);
    const stop = () => server.#child.kill('SIGTERM');
    signal?.addEventListener('abort', stop);
    server.url = await server.#ready();
    signal?.removeEventListener('abort', stop);
    return server;
  }

  constructor(dataDir, port, env, nodeOptions) {
    this.#child = spawn(process.execPath, [...nodeOptions, BIN, 'serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env.PATH,
        HOST: '127.0.0.1',
        PORT: String(port),
        DATA_DIR: dataDir,
        LOG_LEVEL: 'error',
        // For the receiver of the sample's webhook.
        WEBHOOK_ALLOW_PRIVATE: 'true',
        ...env,
      },
    });
    this.exited = once(this.#child, 'exit').then(([code]) => code);
  }

  async #ready() {
    const address = new Promise((resolve) => {
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        const ready = /is listening on (\S+)/.exec(line);
        if (ready !== null) resolve(ready[1]);
        else console.error(line);
      });
    });
    const ended = this.exited.then((code) => {
      throw new Error(`the server ended with exit code ${code} before it was ready`);
    });
    return Promise.race([address, ended]);
  }

  async stop() {
    this.#child.kill('SIGTERM');
    return this.exited;
  }
}
