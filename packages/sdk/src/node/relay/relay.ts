import { connectAdapter, fastifyAdapter, fetchAdapter } from './relay-adapters.ts';
import type { RelayClient } from './relay-client.ts';
import { createRelayHandler } from './relay-handler.ts';
import { type RelayOptions, readRelayOptions } from './relay-options.ts';

// Declared here, because the declarations of the package must not need those of Node.js.

/** `IncomingMessage` of `node:http`. */
interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: object;
  readonly socket: object;
}

/** `ServerResponse` of `node:http`. */
interface HttpResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/** Handles requests of pages; for Express and other frameworks with the request and response of `node:http`. */
export interface Relay {
  /** Requests that are not for the relay are passed to `next`; without it, they get 404. */
  (request: HttpRequest, response: HttpResponse, next?: (error?: unknown) => void): void;
  /** For Fetch handlers: Next.js, Hono and others. */
  fetch(request: Request): Promise<Response>;
  /** A Fastify plugin; register it with a `prefix`. */
  fastify(app: object, options?: unknown): Promise<void>;
}

/** A restricted copy of the service's API for pages, without keys and on the site's own origin. */
export function createRelay(options: RelayOptions | undefined, client: RelayClient): Relay {
  const settings = readRelayOptions(options, client.reporter);
  const handle = createRelayHandler(settings, client);
  return Object.assign(connectAdapter(handle) as Relay, {
    fetch: fetchAdapter(handle),
    fastify: fastifyAdapter(handle, settings.path),
  });
}
