import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';

export interface ProxiedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Returns true to handle the request itself, false to forward it, or 'lose' to forward it and drop the response. */
type Intercept = (request: ProxiedRequest, response: ServerResponse) => boolean | 'lose';

/** A proxy between the SDK and the real service that simulates network faults. */
export class FaultyProxy {
  readonly url: string;
  /** All requests, in order. */
  readonly requests: ProxiedRequest[] = [];
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

  requestsTo(path: string): ProxiedRequest[] {
    return this.requests.filter((each) => each.path.startsWith(path));
  }

  /** Whether no request of a closed client can arrive any more. */
  async hasNoConnections(): Promise<boolean> {
    // Connections of this process that are not accepted yet are accepted in a complete turn of its event loop.
    await setImmediate();
    await setImmediate();
    return new Promise((resolve) => {
      this.#server.getConnections((_error, count) => resolve(count === 0));
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #handle(request: IncomingMessage, response: ServerResponse, target: string): Promise<void> {
    // The one at its arrival: when a fault ends, requests that came before must not be forwarded.
    const intercept = this.intercept;
    let body = '';
    for await (const chunk of request) body += chunk;
    const proxied = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    this.requests.push(proxied);
    const outcome = intercept(proxied, response);
    if (outcome === true) return;
    const headers = Object.entries(request.headers).filter(
      ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
    ) as [string, string][];
    const upstream = await fetch(target + proxied.path, {
      method: proxied.method,
      headers,
      ...(body === '' ? {} : { body }),
    });
    const text = await upstream.text();
    if (outcome === 'lose') {
      response.destroy();
      return;
    }
    const forwarded = [...upstream.headers].filter(
      ([name]) => !['connection', 'content-length', 'transfer-encoding'].includes(name),
    );
    response.writeHead(upstream.status, forwarded.flat()).end(text);
  }
}
