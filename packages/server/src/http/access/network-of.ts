import { isIPv6 } from 'node:net';

const MAPPED_IPV4 = '::ffff:';

/** The network of one client: its IPv4 address, or the /64 network from which an IPv6 client can pick addresses. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith(MAPPED_IPV4) && address.includes('.')) return address.slice(MAPPED_IPV4.length);
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::', 2);
  const groups = groupsOf(head);
  if (tail !== undefined) {
    const rest = groupsOf(tail);
    // An IPv4 suffix counts as two groups.
    const omitted = 8 - groups.length - rest.length - (tail.includes('.') ? 1 : 0);
    groups.push(...Array<string>(omitted).fill('0'), ...rest);
  }
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'));
