import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import fastify from 'fastify';
import type { Relay } from '../node/node.ts';
import { loadExpress } from './load-express.ts';

const express = loadExpress();

/** A site with a relay at `/sy`. */
export interface RelaySite {
  url: string;
  close(): Promise<unknown>;
}

/** The ways to mount a relay. */
export const FRAMEWORKS: Record<string, (relay: Relay) => Promise<RelaySite>> = {
  Express: (relay) => listen(express().use('/sy', relay)),
  'Express with a body parser': (relay) =>
    listen(
      express()
        .use(express.json({ limit: '2mb' }))
        .use('/sy', relay),
    ),
  async Fastify(relay) {
    const app = fastify();
    app.register(relay.fastify, { prefix: '/sy' });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    return { url, close: () => app.close() };
  },
  Fetch: (relay) =>
    listen(async (request, response) => {
      const result = await relay.fetch(toFetchRequest(request));
      response.writeHead(result.status, [...result.headers].flat());
      response.end(Buffer.from(await result.arrayBuffer()));
    }),
  'node:http': (relay) => listen((request, response) => relay(request, response)),
};

/** A site with any handler, such as an Express app. */
export async function listen(handler: RequestListener): Promise<RelaySite> {
  const server: Server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function toFetchRequest(request: IncomingMessage): Request {
  const { method = 'GET', headers } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(`http://${headers.host}${request.url}`, {
    method,
    headers: headers as Record<string, string>,
    ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }),
  });
}

interface Call {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A request as a page of the site sends it. */
export async function fromPage(site: RelaySite, path: string, { method = 'POST', body, headers }: Call = {}) {
  const response = await fetch(`${site.url}/sy${path}`, {
    method,
    headers: {
      origin: site.url,
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body ?? {}) }),
  });
  const text = await response.text();
  const { status } = response;
  return { status, headers: response.headers, text, body: asJson(text) };
}

// biome-ignore lint/suspicious/noExplicitAny: the assertions check the shape
function asJson(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
