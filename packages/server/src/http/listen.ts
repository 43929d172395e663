import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';

/** The system has no IPv6, or it is turned off. */
const WITHOUT_IPV6 = ['EAFNOSUPPORT', 'EADDRNOTAVAIL'];

/** Resolves with the URL of the address. */
export async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  // For `localhost`, Fastify opens a second server for IPv6, to which our connection limits would not apply.
  const address = host === 'localhost' ? '127.0.0.1' : host;
  try {
    await app.listen({ host: address, port }).catch((error: NodeJS.ErrnoException) => {
      if (address !== '::' || !WITHOUT_IPV6.includes(error.code ?? '')) throw error;
      return app.listen({ host: '0.0.0.0', port });
    });
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
