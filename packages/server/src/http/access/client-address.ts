import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import type { Config } from '../../platform/settings/config.ts';

/** Whether an address, that many hops away from this server, is a proxy whose headers are true. */
export type TrustsProxy = (address: string, hop: number) => boolean;

/** Undefined: no proxy is trusted. */
export function trustsProxy(setting: Config['trustProxy']): TrustsProxy | undefined {
  if (setting === false) return undefined;
  if (setting === true) return () => true;
  // A number means: trust that many proxies, counted from this server.
  if (typeof setting === 'number') return (_address, hop) => hop < setting;
  return proxyAddress.compile(setting.split(',').map((part) => part.trim()));
}

/** The address of the client, as `request.ip` of Fastify. */
export function clientAddress(request: IncomingMessage, trusts: TrustsProxy | undefined): string {
  return trusts === undefined ? (request.socket.remoteAddress ?? '') : proxyAddress(request, trusts);
}
