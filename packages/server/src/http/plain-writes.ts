import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

type WithWritev = Omit<Socket, '_writev'> & { _writev?: unknown };

const { _writev: writev } = Socket.prototype;

/**
 * Makes Node.js send each response with plain writes instead of `writev`. Node.js already joins a text body with its
 * headers, so `writev` only adds an empty last chunk; without it a request costs about 5 % less CPU time.
 */
export function usePlainWrites({ server }: FastifyInstance): void {
  server.on('connection', (socket: WithWritev) => {
    socket._writev = undefined;
  });
}

/** Ends a response with a buffer, which is not joined with the headers: `writev` sends both at once. */
export function endWithBuffer(response: ServerResponse, body: Buffer): void {
  const socket = response.socket as WithWritev | null;
  if (socket !== null) socket._writev = writev;
  response.end(body);
  if (socket !== null) socket._writev = undefined;
}
