import { BlockList, isIP } from 'node:net';

/** Networks that are not on the public internet: private, loopback, link-local, shared, reserved, documentation. */
const REFUSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // A public address that answers with machine metadata inside Azure.
  '168.63.129.16/32',
];

/** The only IPv6 network that is public; it excludes, for example, IPv4-mapped and NAT64 addresses. */
const PUBLIC_IPV6 = ['2000::/3'];
/** Parts of it that are reserved, or contain an IPv4 address to which a gateway forwards (Teredo, 6to4). */
const REFUSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const refusedIpv4 = blockList(REFUSED_IPV4, 'ipv4');
const publicIpv6 = blockList(PUBLIC_IPV6, 'ipv6');
const refusedIpv6 = blockList(REFUSED_IPV6, 'ipv6');

/**
 * Whether an IP address can be on the public internet; false for anything else. Webhooks to addresses that are not
 * public are refused by `webhook-rules` when they are saved, and by `send-webhook` before each request.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !refusedIpv4.check(address, 'ipv4');
  // An address with a zone, like fe80::1%eth0, is local to the machine.
  if (family !== 6 || address.includes('%')) return false;
  return publicIpv6.check(address, 'ipv6') && !refusedIpv6.check(address, 'ipv6');
}

/** Whether the URL itself names this machine or a private network; other names are resolved before a delivery. */
export function isPrivateHost(url: URL): boolean {
  const host = hostOf(url);
  if (isIP(host) !== 0) return !isPublicAddress(host);
  return /(^|\.)localhost\.?$/i.test(host);
}

/** The host of a URL without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function blockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
