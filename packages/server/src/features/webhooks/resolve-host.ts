import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

const DNS_TIMEOUT_MS = 2000;
const DNS_TRIES = 2;

/** Addresses of a host name; empty or rejected if there are none. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

/**
 * Asks the DNS servers directly: `lookup` would occupy one of the four threads that the process has for files and
 * passwords, and a slow DNS server would block them all.
 */
export async function resolveHost(hostname: string): Promise<string[]> {
  if (isIP(hostname) !== 0) return [hostname];
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const timedOut = answers.some(
    (answer) => answer.status === 'rejected' && (answer.reason as { code?: string }).code === 'ETIMEOUT',
  );
  if (timedOut) throw Object.assign(new Error('the DNS server does not respond'), { code: 'ETIMEOUT' });
  return lookupInTurn(hostname);
}

let turn: Promise<unknown> = Promise.resolve();

/** For names in the hosts file and in search domains, which DNS servers do not know; one at a time. */
function lookupInTurn(hostname: string): Promise<string[]> {
  const found = turn.then(async () => (await lookup(hostname, { all: true })).map(({ address }) => address));
  turn = found.catch(() => undefined);
  return found;
}
