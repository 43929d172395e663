import { execFile } from 'node:child_process';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import type { TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';

interface Options {
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

interface Response {
  status: number;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests access responses freely
  body: any;
  text: string;
}

/** A request id starts with characters that are random per process. */
const PROCESS_PREFIX = 8;

/** One connection, which one worker serves. */
export class WorkerConnection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** What distinguishes the worker from others. */
  async worker(): Promise<string> {
    const { headers } = await this.send('GET', '/healthz');
    return String(headers['x-request-id']).slice(0, PROCESS_PREFIX);
  }

  send(method: string, path: string, { key, body, headers }: Options = {}): Promise<Response> {
    const content = body === undefined ? undefined : JSON.stringify(body);
    const sent = {
      ...(key !== undefined && { 'x-api-key': key }),
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        this.#url + path,
        { method, agent: this.#agent, headers: sent },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (part) => {
            text += part;
          });
          response.on('error', reject);
          response.on('end', () => {
            const isJson = /json/.test(response.headers['content-type'] ?? '');
            const { statusCode = 0, headers } = response;
            resolve({ status: statusCode, headers, text, body: isJson ? JSON.parse(text) : undefined });
          });
        },
      );
      request.on('error', reject);
      request.end(content);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A connection to each of two workers. */
export async function connectToBoth(url: string): Promise<[WorkerConnection, WorkerConnection]> {
  const first = new WorkerConnection(url);
  const known = await first.worker();
  const second = await waitFor('the other worker', async () => {
    const connection = new WorkerConnection(url);
    if ((await connection.worker()) !== known) return connection;
    connection.close();
    return undefined;
  });
  return [first, second];
}

/** Ids of the worker processes of a server. */
export async function workerPids(server: TestServer): Promise<number[]> {
  // Fails if there is none.
  const { stdout } = await promisify(execFile)('pgrep', ['-P', String(server.process.pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout.trim().split('\n').filter(Boolean).map(Number);
}
