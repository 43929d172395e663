import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What went through, in order. */
export interface Passed {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Takes a request itself (true), passes it on (false), or passes it on and drops the answer ('lose'). */
type Intercept = (request: Passed, response: ServerResponse) => boolean | 'lose';

/** Stands between the SDK and the real service, to break what a network breaks. */
export class FaultyProxy {
  readonly url: string;
  readonly passed: Passed[] = [];
  intercept: Intercept = () => false;
  readonly #server: Server;

  static async start(target: string): Promise<FaultyProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyProxy(server, target);
  }

  constructor(server: Server, target: string) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      this.#handle(request, response, target).catch(() => response.destroy());
    });
  }

  to(path: string): Passed[] {
    return this.passed.filter((each) => each.path.startsWith(path));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #handle(request: IncomingMessage, response: ServerResponse, target: string): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const passed = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    this.passed.push(passed);
    const taken = this.intercept(passed, response);
    if (taken === true) return;
    const headers = Object.entries(request.headers).filter(
      ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
    ) as [string, string][];
    const answer = await fetch(target + passed.path, {
      method: passed.method,
      headers,
      ...(body === '' ? {} : { body }),
    });
    const text = await answer.text();
    if (taken === 'lose') {
      response.destroy();
      return;
    }
    const kept = [...answer.headers].filter(
      ([name]) => !['connection', 'content-length', 'transfer-encoding'].includes(name),
    );
    response.writeHead(answer.status, kept.flat()).end(text);
  }
}
