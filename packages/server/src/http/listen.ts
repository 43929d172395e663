import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';

/** Resolves with the URL of the address. */
export async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  // For `localhost`, Fastify opens a second server for IPv6, to which our connection limits would not apply.
  const address = host === 'localhost' ? '127.0.0.1' : host;
  try {
    await app.listen({ host: address, port });
  } catch (error) {
    throw new Error(`Cannot listen on HOST ${host}, PORT ${port}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return listeningUrl(app);
}

function listeningUrl(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
