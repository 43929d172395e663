import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../platform/settings/config.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Loads what requests need; the app is created before the database is open. */
    beforeListening: () => Promise<void>;
  }
}

/** The system has no IPv6, or it is turned off. */
const WITHOUT_IPV6 = ['EAFNOSUPPORT', 'EADDRNOTAVAIL'];

type Address = Pick<Config, 'host' | 'port'>;

/** Resolves with the URL of the address. */
export async function listen(app: FastifyInstance, config: Address): Promise<string> {
  await app.beforeListening();
  await listenOn(config, (address) => app.listen(address));
  return listeningUrl(app);
}

/** Fails as `listen` would, and stops listening before it accepts anything. */
export async function assertCanListen(config: Address): Promise<void> {
  await listenOn(config, async (address) => {
    const server = createServer().listen(address);
    await once(server, 'listening');
    await new Promise((resolve) => server.close(resolve));
  });
}

async function listenOn(
  { host, port }: Address,
  attempt: (address: Address) => Promise<unknown>,
): Promise<void> {
  // For `localhost`, Fastify opens a second server for IPv6, to which our connection limits would not apply.
  const address = { host: host === 'localhost' ? '127.0.0.1' : host, port };
  try {
    await attempt(address).catch((error: NodeJS.ErrnoException) => {
      if (host !== '::' || !WITHOUT_IPV6.includes(error.code ?? '')) throw error;
      return attempt({ host: '0.0.0.0', port });
    });
  } catch (error) {
    throw new Error(`Cannot listen on HOST ${host}, PORT ${port}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function listeningUrl(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
