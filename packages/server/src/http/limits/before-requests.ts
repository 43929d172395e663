import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

/** Puts a step in front of everything that handles the requests of a server. */
export function beforeRequests(
  server: Server,
  step: (request: IncomingMessage, response: ServerResponse, next: RequestListener) => void,
): void {
  const [next] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => step(request, response, next!));
}
