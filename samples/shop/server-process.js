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
    for await (const line of createInterface({ input: this.#child.stdout })) {
      const address = /https?:\/\/\S+/.exec(line);
      if (address === null) continue;
      // What it prints later must not fill the pipe.
      this.#child.stdout.resume();
      return address[0];
    }
    throw new Error(`the server ended with exit code ${await this.exited} before it was ready`);
  }

  async stop() {
    this.#child.kill('SIGTERM');
    return this.exited;
  }
}
