import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Makes Node.js send each response with plain writes instead of `writev`. Node.js already joins a text body with its
 * headers, so `writev` only adds an empty last chunk; without it a request costs about 5 % less CPU time.
 */
export function usePlainWrites({ server }: FastifyInstance): void {
  server.on('connection', (socket: Omit<Socket, '_writev'> & { _writev?: unknown }) => {
    socket._writev = undefined;
  });
}
