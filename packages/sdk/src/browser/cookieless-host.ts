import type { Host } from '../client/host.ts';
import { SESSION_COOKIE, VISITOR_COOKIE } from '../client/identity.ts';

/** Keeps everything in the memory of the page; visitor and session have the given id. */
export function withoutStorage(host: Host, id: () => string): void {
  const { announceConsent } = host;
  const values = new Map<string, string>();
  host.store = {
    get(key) {
      if (key === VISITOR_COOKIE) return id();
      if (key === SESSION_COOKIE) return { sessionId: id(), seenAt: host.now(), returning: false };
      return JSON.parse(values.get(key) ?? 'null') ?? undefined;
    },
    set(key, value) {
      if (value === undefined) values.delete(key);
      else values.set(key, JSON.stringify(value));
    },
    listKeys: (prefix) => [...values.keys()].filter((key) => key.startsWith(prefix)),
  };
  host.readCookies = () => '';
  host.writeCookie = () => {};
  // Other tabs must stop with this one; they start by themselves.
  host.announceConsent = (key, isGranted) => {
    if (!isGranted) announceConsent?.(key, isGranted);
  };
}
